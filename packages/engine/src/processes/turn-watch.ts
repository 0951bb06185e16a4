// Looks after running turns. Time is counted in looks, not read from a clock: a machine that slept, or a process that was
// stopped for an hour, has not made anybody wait for an hour.

import type { RunningSession } from '../sessions/state/running-session.ts'
import { isTurnWorking } from './is-turn-working.ts'

export interface TurnWatch {
  check(sessions: readonly RunningSession[]): void
}

export function createTurnWatch({
  everyMs,
  stuckAfterMs,
}: {
  readonly everyMs: number
  readonly stuckAfterMs: number
}): TurnWatch {
  let lastCheck = performance.now()

  function watch(running: RunningSession, passedMs: number): void {
    if (running.stopStuck === null) return
    const isBusy = isTurnWorking(running.requests, running.writer.state())
    const pause = running.pause.state()
    running.waitedMs = pause === 'waiting' && !isBusy ? running.waitedMs + passedMs : 0
    running.quietMs = pause === 'off' && !isBusy ? running.quietMs + passedMs : 0
    if (running.quietMs >= stuckAfterMs) running.stopStuck()
  }

  return {
    check(sessions) {
      const now = performance.now()
      const passedMs = Math.min(now - lastCheck, 2 * everyMs)
      lastCheck = now
      for (const running of sessions) watch(running, passedMs)
    },
  }
}
