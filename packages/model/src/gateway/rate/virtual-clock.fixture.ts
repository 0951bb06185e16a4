import type { ShaperClock } from './family-queue.ts'
// A clock that advances only on request: hours of waiting pass at once, the same way in every run.

export function createVirtualClock(): ShaperClock & { run(untilMs?: number): Promise<void> } {
  let time = 0
  let timers: { readonly at: number; readonly run: () => void }[] = []

  return {
    now: () => time,
    after(delayMs, run) {
      const timer = { at: time + delayMs, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
    async run(untilMs = Number.POSITIVE_INFINITY) {
      for (;;) {
        // Resolved promises run before time advances.
        await new Promise((resolve) => setImmediate(resolve))
        const next = timers.toSorted((left, right) => left.at - right.at)[0]
        if (!next || next.at > untilMs) break
        timers = timers.filter((each) => each !== next)
        time = Math.max(time, next.at)
        next.run()
      }
      if (untilMs !== Number.POSITIVE_INFINITY) time = untilMs
    },
  }
}
