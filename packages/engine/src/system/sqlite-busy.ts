// One connection writes to a SQLite file at a time. The binding is synchronous: waiting inside it would block this
// process, and forever if the other writer is in this process too. So it gives up soon and the wait continues
// outside of it.
import { sleep } from '@quarterdeck/protocol'

interface BusyRetry {
  readonly pauseMs: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Rejects with the last error of the work when the other writer does not end in time, or the signal aborts. */
export async function retryWhileBusy<Result>(
  work: () => Result | Promise<Result>,
  { pauseMs, timeoutMs, signal }: BusyRetry,
): Promise<Result> {
  const start = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || signal?.aborted || performance.now() - start > timeoutMs) throw error
    }
    await sleep(pauseMs, signal)
  }
}

/** Includes extended codes such as `SQLITE_BUSY_SNAPSHOT`. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && String(error.code).startsWith('SQLITE_BUSY')) || isBusy(error.cause)
}
