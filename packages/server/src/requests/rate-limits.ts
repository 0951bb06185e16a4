// Bounds what one key can ask of the server, so that a script gone wild does not take it from everybody else.
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { createTokenBucket, type Rate, type TokenBucket } from './token-bucket.ts'

export interface RateLimits {
  /** Everything a principal asks for; opening a stream is one request, however long it stays. */
  readonly requests: Rate
  /** What of it changes something. */
  readonly changes: Rate
  /** Wrong tokens, cookies and login codes of all callers together. Whoever has the right one is never kept waiting. */
  readonly wrongCredentials: Rate
}

export const defaultRateLimits: RateLimits = {
  requests: { perSecond: 200, burst: 1000 },
  changes: { perSecond: 20, burst: 100 },
  wrongCredentials: { perSecond: 1, burst: 30 },
}

/** Throws `request.rate-limited` when there is nothing left for this principal. */
export function limitRequests(limits: RateLimits, now: () => number): MiddlewareHandler<AppEnv> {
  const requests = bucketPerPrincipal(limits.requests, now)
  const changes = bucketPerPrincipal(limits.changes, now)
  return async (c, next) => {
    const principal = c.get('principal').name
    spend(requests(principal), 'too many requests')
    if (!['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)) spend(changes(principal), 'too many changes')
    await next()
  }
}

export function spend(bucket: TokenBucket, sentence: string): void {
  const waitMs = bucket.take()
  if (waitMs === 0) return
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  const detail = `${sentence} in a short time: try again in ${retryAfterSeconds} s, as the header Retry-After says`
  throw new QuarterdeckError('request.rate-limited', detail, { facts: { retryAfterSeconds } })
}

/** One bucket for each name. Only callers who proved who they are have one: there are as many as there are keys. */
function bucketPerPrincipal(rate: Rate, now: () => number): (principal: string) => TokenBucket {
  const buckets = new Map<string, TokenBucket>()
  return (principal) => {
    const known = buckets.get(principal)
    if (known !== undefined) return known
    const bucket = createTokenBucket(rate, now)
    buckets.set(principal, bucket)
    return bucket
  }
}
