import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useState } from 'react'
import { failureOf } from '../../../stores/primitives/failure.ts'

export interface Changes {
  /** Starts at once, even while another change runs: the last one wins. */
  make(change: () => Promise<unknown>): void
  /** Why the last change failed. */
  readonly failure: QuarterdeckError | null
}

/** Independent small changes, with the failure of the last one. */
export function useChanges(): Changes {
  const [failure, setFailure] = useState<QuarterdeckError | null>(null)
  return {
    failure,
    make(change) {
      setFailure(null)
      change().catch((error: unknown) => setFailure(failureOf(error)))
    },
  }
}
