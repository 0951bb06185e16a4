import { backoffDelay } from '@quarterdeck/protocol'

export type Backoff = ReturnType<typeof createBackoff>

export function createBackoff(random: () => number = Math.random) {
  let failures = 0
  return {
    /** Milliseconds to wait before the next attempt: doubles from 250 ms to 15 s, with jitter. */
    next(): number {
      failures += 1
      const ceiling = backoffDelay(failures, { firstMs: 250, longestMs: 15_000 })
      return ceiling / 2 + (ceiling / 2) * random()
    },
    reset() {
      failures = 0
    },
  }
}
