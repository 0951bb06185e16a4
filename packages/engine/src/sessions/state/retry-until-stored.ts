import { isQuarterdeckError, sleep } from '@quarterdeck/protocol'

export interface StoreWait {
  /** If true, the failure is thrown. */
  readonly isGivenUp: () => boolean
  readonly onFailure: (error: unknown) => void
}

/** The delay between two attempts. */
const retryMs = 1000

/** Retries a write for as long as the store is unavailable, for example while the disk is full. */
export async function retryUntilStored<Answer>(ask: () => Promise<Answer>, wait: StoreWait): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (wait.isGivenUp() || !isQuarterdeckError(error, 'store.unavailable')) throw error
      wait.onFailure(error)
      await sleep(retryMs)
    }
  }
}
