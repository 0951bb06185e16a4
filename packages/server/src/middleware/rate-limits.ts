// Limits the requests of each key, so that one script cannot block all others.
import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { createRequestWindow } from './request-window.ts'
import { createTokenBucket, type Rate, type TokenBucket } from './token-bucket.ts'

export interface RateLimits {
  /** All requests of a principal; an open stream counts as one request. */
  readonly requests: Rate
  /** Requests that change something. */
  readonly changes: Rate
  /** Wrong tokens, cookies and login codes of all callers together. Valid credentials are never delayed. */
  readonly wrongCredentials: Rate
}

export const defaultRateLimits: RateLimits = {
  requests: { perSecond: 200, burst: 1000 },
  changes: { perSecond: 20, burst: 100 },
  wrongCredentials: { perSecond: 1, burst: 30 },
}

export type RequestMeter = ReturnType<typeof createRequestMeter>

export function createRequestMeter(limits: RateLimits, now: () => number) {
  const requests = onePerName(() => createTokenBucket(limits.requests, now))
  const changes = onePerName(() => createTokenBucket(limits.changes, now))
  const ofKeys = onePerName((_, limit: number) => createRequestWindow({ limit, windowMs: 60_000 }, now))
  return {
    /**
     * Counts one request against the limits of the server and of the key; throws `request.rate-limited` beyond them.
     * Each message on a socket counts as a request.
     */
    count({ name, requestsPerMinute }: Principal, kind: 'read' | 'change') {
      spend(requests(name), 'too many requests')
      if (kind === 'change') spend(changes(name), 'too many changes')
      if (requestsPerMinute === null) return
      spend(ofKeys(name, requestsPerMinute), `more than the ${requestsPerMinute} requests a minute of this key`)
    },
  }
}

/** Throws `request.rate-limited` beyond the limits of this principal. */
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

/** One meter per principal. Only authenticated callers have one, so there are at most as many as keys. */
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
