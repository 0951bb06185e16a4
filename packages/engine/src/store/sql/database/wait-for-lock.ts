import { isBusy, retryWhileBusy } from '../../../system/sqlite-busy.ts'
import { storeLocked } from '../../ports/store-errors.ts'

/** A transaction takes milliseconds, but a busy disk can delay one for seconds. */
const retry = { pauseMs: 5, timeoutMs: 30_000 }

/** Does the work when no other connection writes. Throws `store.unavailable` when the other writer does not end. */
export async function waitForLock<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await retryWhileBusy(work, retry)
  } catch (error) {
    throw isBusy(error) ? storeLocked(error) : error
  }
}
