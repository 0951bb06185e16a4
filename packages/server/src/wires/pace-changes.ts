// On a socket every frame can change something and none is a request: they are counted as requests that change are.
import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import { createTokenBucket, type Rate, type TokenBucket } from '../requests/token-bucket.ts'

/** Counts one change; throws `request.rate-limited` when there is nothing left for this principal. */
export function paceChanges(rate: Rate, now: () => number): (principal: Principal) => void {
  // Only callers who proved who they are have one: there are as many as there are keys.
  const buckets = new Map<string, TokenBucket>()
  return ({ name }) => {
    const bucket = buckets.get(name) ?? createTokenBucket(rate, now)
    buckets.set(name, bucket)
    const waitMs = bucket.take()
    if (waitMs === 0) return
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    const detail = `too much in a short time: try again in ${retryAfterSeconds} s`
    throw new QuarterdeckError('request.rate-limited', detail, { facts: { retryAfterSeconds } })
  }
}
