// Work that may be requested at any time and any number of times. It runs once and is queued once, and frequent
// requests make it pause longer.
import { backoffDelay, sleep } from '@quarterdeck/protocol'

interface ThrottleOptions {
  /** Never rejects. */
  readonly work: () => Promise<void>
  /** No work starts after it aborts. */
  readonly signal: AbortSignal
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const pauseBounds = { firstMs: 250, longestMs: 30_000 }

/** Returns nothing to await: otherwise ten thousand requests would hold ten thousand promises. */
export function throttleWork({ work, signal, pause = sleepUnlessAborted }: ThrottleOptions): () => void {
  let isRunning = false
  let isDue = false

  async function run(): Promise<void> {
    isRunning = true
    try {
      for (let runs = 1; isDue && !signal.aborted; runs += 1) {
        isDue = false
        await work()
        await pause(backoffDelay(runs, pauseBounds), signal)
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

const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, signal, { ref: false })
