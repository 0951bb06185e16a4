// Measures the working time of an agent. It can be paused, because waiting for a person or a client does not count.

export type WorkTimer = ReturnType<typeof startWorkTimer>

/** `onExpire` is called once, when the time limit is reached. */
export function startWorkTimer(longestMs: number, onExpire: () => void) {
  let limitMs = longestMs
  let worked = 0
  let pauses = 0
  let isStopped = false
  let since = performance.now()
  let timer = arm()

  function arm(): NodeJS.Timeout {
    const longest = 2 ** 31 - 1
    return setTimeout(expire, Math.min(longest, Math.max(0, limitMs - elapsedMs())))
  }

  /** A timer may fire a moment early: then the rest is waited for. */
  function expire(): void {
    if (elapsedMs() < limitMs) timer = arm()
    else onExpire()
  }

  function elapsedMs(): number {
    return Math.round(pauses > 0 ? worked : worked + performance.now() - since)
  }

  return {
    /** Stops the clock until the same number of `resume` calls. */
    pause() {
      pauses += 1
      if (pauses > 1) return
      worked += performance.now() - since
      clearTimeout(timer)
    },
    resume() {
      pauses -= 1
      if (pauses > 0) return
      since = performance.now()
      if (!isStopped) timer = arm()
    },
    /** Limits the total time from the start; a lower limit stays. */
    limitTo(lowerMs: number) {
      limitMs = Math.min(limitMs, lowerMs)
      clearTimeout(timer)
      if (!isStopped && pauses === 0) timer = arm()
    },
    elapsedMs,
    /** Permanently. */
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
