/** So many at once, and so many per second for as long as one likes. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

export interface TokenBucket {
  /** Takes one and returns 0, or takes nothing and returns the milliseconds until there is one. */
  take(): number
}

export function createTokenBucket({ perSecond, burst }: Rate, now: () => number): TokenBucket {
  let tokens = burst
  let filledAt = now()
  return {
    take() {
      const at = now()
      // A clock that was set back fills nothing; it must not empty the bucket either.
      tokens = Math.min(burst, tokens + (Math.max(0, at - filledAt) / 1000) * perSecond)
      filledAt = at
      if (tokens < 1) return ((1 - tokens) / perSecond) * 1000
      tokens -= 1
      return 0
    },
  }
}
