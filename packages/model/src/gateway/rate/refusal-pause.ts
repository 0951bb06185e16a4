// After a 429 all requests wait as long as the provider says. Then one request is sent as a probe, and the others
// follow its answer. All at once would only be refused again.

export interface RefusalPause {
  /** How long until a request may be sent; null while a probe is running. */
  wait(): number | null
  /** The provider answered 429. Returns how long requests wait now. */
  begin(retryAfterMs: number): number
  /** A request is sent. Returns a function to report its end; only its first call counts. */
  send(): (end: 'answered' | 'unanswered') => void
}

export function createRefusalPause(now: () => number): RefusalPause {
  let until = 0
  let probe: 'none' | 'wanted' | 'running' = 'none'
  /** Of a request sent before the pause, while the probe was running: its answer says nothing about the new pause. */
  let isRefusedAgain = false

  return {
    wait: () => (probe === 'running' ? null : Math.max(0, until - now())),
    begin(retryAfterMs) {
      until = Math.max(until, now() + retryAfterMs)
      if (probe === 'none') probe = 'wanted'
      if (probe === 'running') isRefusedAgain = true
      return until - now()
    },
    send() {
      if (probe !== 'wanted') return () => {}
      probe = 'running'
      isRefusedAgain = false
      let isRunning = true
      return (end) => {
        if (isRunning) probe = end === 'answered' && !isRefusedAgain ? 'none' : 'wanted'
        isRunning = false
      }
    },
  }
}
