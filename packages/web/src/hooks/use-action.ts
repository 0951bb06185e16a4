import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useState } from 'react'
import { failureOf } from '../state/failure.ts'

export interface Action {
  /** Resolves to true when it was done; a failure is kept for the view. */
  run(task: () => Promise<unknown>): Promise<boolean>
  readonly isBusy: boolean
  readonly failure: QuarterdeckError | null
}

/** One thing at a time, with its failure beside it. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<QuarterdeckError | null>(null)
  async function run(task: () => Promise<unknown>): Promise<boolean> {
    if (isBusy) return false
    setBusy(true)
    setFailure(null)
    try {
      await task()
      return true
    } catch (error) {
      setFailure(failureOf(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, failure }
}
