// A time limit for calls. Progress restarts it, and it pauses while a person is asked.

export type ProgressTimeout = ReturnType<typeof createProgressTimeout>

export class TookTooLong extends Error {}

export function createProgressTimeout(limitMs: number) {
  const running = new Set<{ stop(): void; start(): void }>()
  let pauses = 0

  return {
    /** The signal aborts with `TookTooLong` when the time is over, and together with the given one. */
    async during<Value>(
      signal: AbortSignal,
      work: (bounded: AbortSignal, progress: () => void) => Promise<Value>,
    ): Promise<Value> {
      const late = new AbortController()
      let timer: NodeJS.Timeout | undefined
      const clock = {
        stop: () => clearTimeout(timer),
        start() {
          clearTimeout(timer)
          if (pauses > 0) return
          timer = setTimeout(() => late.abort(new TookTooLong(`no answer within ${limitMs / 1000} s`)), limitMs)
        },
      }
      running.add(clock)
      clock.start()
      try {
        return await work(AbortSignal.any([signal, late.signal]), clock.start)
      } catch (error) {
        throw late.signal.aborted ? late.signal.reason : error
      } finally {
        clock.stop()
        running.delete(clock)
      }
    },
    async pauseWhile<Value>(work: () => Promise<Value>): Promise<Value> {
      pauses += 1
      for (const clock of running) clock.stop()
      try {
        return await work()
      } finally {
        pauses -= 1
        if (pauses === 0) for (const clock of running) clock.start()
      }
    },
  }
}
