/** Allows a burst, and then a constant rate per second. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

export interface TokenBucket {
  /** Takes a token and returns 0, or takes none and returns the milliseconds until there is one. */
  take(): number
}

export function createTokenBucket({ perSecond, burst }: Rate, now: () => number): TokenBucket {
  let tokens = burst
  let filledAt = now()
  return {
    take() {
      const at = now()
      // A clock that was set back must neither fill nor empty the bucket.
      tokens = Math.min(burst, tokens + (Math.max(0, at - filledAt) / 1000) * perSecond)
      filledAt = at
      if (tokens < 1) return ((1 - tokens) / perSecond) * 1000
      tokens -= 1
      return 0
    },
  }
}
