import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useState } from 'react'
import { failureOf } from '../../../stores/primitives/failure.ts'

export interface Changes {
  /** Begins at once, whatever else is under way: the last word of a person counts. */
  make(change: () => Promise<unknown>): void
  /** Why the last one was not made. */
  readonly failure: QuarterdeckError | null
}

/** Small changes that need not wait for each other, with the failure of the last beside them. */
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
