// Looks after running turns. Time is counted in looks, not read from a clock: a machine that slept, or a process that was
// stopped for an hour, has not made anybody wait for an hour.
import { isTurnWorking } from '../sessions/is-turn-working.ts'
import type { LiveSession } from '../sessions/live-session.ts'

export interface TurnWatch {
  look(lives: readonly LiveSession[]): void
}

export function createTurnWatch({
  everyMs,
  stuckAfterMs,
}: {
  readonly everyMs: number
  readonly stuckAfterMs: number
}): TurnWatch {
  let lastLook = performance.now()

  function watch(live: LiveSession, passedMs: number): void {
    if (live.stopStuck === null) return
    const isBusy = isTurnWorking(live.requests, live.writer.state())
    const pause = live.pause.state()
    live.waitedMs = pause === 'waiting' && !isBusy ? live.waitedMs + passedMs : 0
    live.quietMs = pause === 'off' && !isBusy ? live.quietMs + passedMs : 0
    if (live.quietMs >= stuckAfterMs) live.stopStuck()
  }

  return {
    look(lives) {
      const now = performance.now()
      const passedMs = Math.min(now - lastLook, 2 * everyMs)
      lastLook = now
      for (const live of lives) watch(live, passedMs)
    },
  }
}
