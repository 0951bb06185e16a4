// The binding is synchronous: waiting for another process inside it would block every session of this one.
import { setTimeout as pause } from 'node:timers/promises'

/** Another process writes a file's passages in well under a second. */
const timeoutMs = 10_000
const pauseMs = 50

/** Retries for a while if another process is writing. */
export async function retryWhileBusy<Result>(work: () => Result): Promise<Result> {
  const start = performance.now()
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() - start > timeoutMs) throw error
    }
    await pause(pauseMs)
  }
}

export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && String(error.code).startsWith('SQLITE_BUSY')) || isBusy(error.cause)
}
