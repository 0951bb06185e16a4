import type { TokenBucket } from './token-bucket.ts'

export interface WindowRate {
  readonly limit: number
  readonly windowMs: number
}

/** Never more than `limit` within any window. A token bucket would allow a burst in addition. */
export function createRequestWindow({ limit, windowMs }: WindowRate, now: () => number): TokenBucket {
  let taken: number[] = []
  let first = 0
  return {
    take() {
      const at = now()
      while ((taken[first] ?? at) <= at - windowMs) first += 1
      const oldest = taken[first]
      if (oldest === undefined || taken.length - first < limit) {
        if (first > limit) {
          taken = taken.slice(first)
          first = 0
        }
        taken.push(at)
        return 0
      }
      // A clock that is set back blocks for at most one window.
      return Math.min(windowMs, oldest + windowMs - at)
    },
  }
}
