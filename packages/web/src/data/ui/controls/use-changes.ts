import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useState } from 'react'
import { failureOf } from '../../../stores/primitives/failure.ts'

/** Independent small changes, with the failure of the last one. */
export function useChanges() {
  const [failure, setFailure] = useState<QuarterdeckError | null>(null)
  return {
    /** Why the last change failed. */
    failure,
    /** Starts at once, even while another change runs: the last one wins. */
    make(change: () => Promise<unknown>) {
      setFailure(null)
      change().catch((error: unknown) => setFailure(failureOf(error)))
    },
  }
}
