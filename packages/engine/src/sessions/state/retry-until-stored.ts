import { isQuarterdeckError } from '@quarterdeck/protocol'

export interface StoreWait {
  /** Then the failure is the caller's. */
  readonly isGivenUp: () => boolean
  readonly onFailure: (error: unknown) => void
}

/** Between two tries. */
const retryMs = 1000

/** What must be written is tried again for as long as the store does not take it: a full disk is waited out. */
export async function retryUntilStored<Answer>(ask: () => Promise<Answer>, wait: StoreWait): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (wait.isGivenUp() || !isQuarterdeckError(error, 'store.unavailable')) throw error
      wait.onFailure(error)
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}
