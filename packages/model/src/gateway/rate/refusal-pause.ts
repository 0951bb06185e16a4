// After a 429 everyone waits as long as the provider says; then one request goes ahead as a scout, and the others follow
// when it is answered. All at once would only be refused again.

export interface RefusalPause {
  /** How long until someone may go; null while a scout is out. */
  wait(): number | null
  /** The provider said 429. Returns how long everyone waits now. */
  begin(retryAfterMs: number): number
  /** A request goes. Returns how its end is told; only the first word of it counts. */
  send(): (end: 'answered' | 'unanswered') => void
}

export function createRefusalPause(now: () => number): RefusalPause {
  let until = 0
  let scout: 'none' | 'wanted' | 'out' = 'none'
  /** By one that left before the pause, while the scout was out: its answer says nothing of the new pause. */
  let isRefusedAgain = false

  return {
    wait: () => (scout === 'out' ? null : Math.max(0, until - now())),
    begin(retryAfterMs) {
      until = Math.max(until, now() + retryAfterMs)
      if (scout === 'none') scout = 'wanted'
      if (scout === 'out') isRefusedAgain = true
      return until - now()
    },
    send() {
      if (scout !== 'wanted') return () => {}
      scout = 'out'
      isRefusedAgain = false
      let isOut = true
      return (end) => {
        if (isOut) scout = end === 'answered' && !isRefusedAgain ? 'none' : 'wanted'
        isOut = false
      }
    },
  }
}
