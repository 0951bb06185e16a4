// One process writes at a time. Waiting inside the driver would block this process, and forever if the other writer is
// in this process too. So the driver gives up soon and the wait continues outside of it.
import { setTimeout } from 'node:timers/promises'
import { storeLocked } from '../../ports/store-errors.ts'

/** About half a minute: a transaction takes milliseconds, but a busy disk can delay one for seconds. */
const attempts = 500
const pauseMs = 5

/** Throws `store.unavailable` when the other writer does not end. */
export async function retryBusy<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (attempt === attempts) throw storeLocked(error)
      await setTimeout(pauseMs)
    }
  }
}

/** Includes extended codes such as `SQLITE_BUSY_SNAPSHOT`. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
