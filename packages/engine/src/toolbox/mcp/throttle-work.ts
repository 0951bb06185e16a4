// Work that others may want done again at any time, and as often as they like: it is under way once, due once, and the
// more often it is wanted the longer it rests.
import { setTimeout as sleep } from 'node:timers/promises'

export interface ThrottleOptions {
  /** Never rejects. */
  readonly work: () => Promise<void>
  /** Nothing is begun any more when it aborts. */
  readonly signal: AbortSignal
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const shortestPauseMs = 250
const longestPauseMs = 30_000

/** What it returns does not wait: whoever asks ten thousand times would else be kept ten thousand times. */
export function throttleWork({ work, signal, pause = sleepUnlessAborted }: ThrottleOptions): () => void {
  let isRunning = false
  let isDue = false

  async function run(): Promise<void> {
    isRunning = true
    let pauseMs = shortestPauseMs
    try {
      while (isDue && !signal.aborted) {
        isDue = false
        await work()
        await pause(pauseMs, signal)
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      }
    } finally {
      isRunning = false
    }
  }

  return () => {
    isDue = true
    if (!isRunning) void run()
  }
}

const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined) // whoever aborts wants nothing more
