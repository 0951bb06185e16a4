// Bounds what one key can ask of the server, so that a script gone wild does not take it from everybody else.
import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { createSlidingWindow } from './sliding-window.ts'
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

export interface RequestMeter {
  /**
   * Counts one request against the limits of the server and the key's own; throws `request.rate-limited` when there is
   * nothing left. A message on a socket is a request: whoever reads it counts it here.
   */
  count(principal: Principal, kind: 'read' | 'change'): void
}

export function createRequestMeter(limits: RateLimits, now: () => number): RequestMeter {
  const requests = onePerName(() => createTokenBucket(limits.requests, now))
  const changes = onePerName(() => createTokenBucket(limits.changes, now))
  const ofKeys = onePerName((_, limit: number) => createSlidingWindow({ limit, windowMs: 60_000 }, now))
  return {
    count({ name, requestsPerMinute }, kind) {
      spend(requests(name), 'too many requests')
      if (kind === 'change') spend(changes(name), 'too many changes')
      if (requestsPerMinute === null) return
      spend(ofKeys(name, requestsPerMinute), `more than the ${requestsPerMinute} requests a minute of this key`)
    },
  }
}

/** Throws `request.rate-limited` when there is nothing left for this principal. */
export const limitRequests =
  (meter: RequestMeter): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const isReading = ['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)
    meter.count(c.get('principal'), isReading ? 'read' : 'change')
    await next()
  }

export function spend(bucket: TokenBucket, sentence: string): void {
  const waitMs = bucket.take()
  if (waitMs === 0) return
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  const detail = `${sentence} in a short time: try again in ${retryAfterSeconds} s`
  throw new QuarterdeckError('request.rate-limited', detail, { facts: { retryAfterSeconds } })
}

/** One for each name. Only callers who proved who they are have one: there are as many as there are keys. */
function onePerName<Rest extends readonly unknown[]>(
  create: (name: string, ...rest: Rest) => TokenBucket,
): (name: string, ...rest: Rest) => TokenBucket {
  const made = new Map<string, TokenBucket>()
  return (name, ...rest) => {
    const bucket = made.get(name) ?? create(name, ...rest)
    made.set(name, bucket)
    return bucket
  }
}
