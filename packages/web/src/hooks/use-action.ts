import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useEffect, useRef, useState } from 'react'
import { failureOf } from '../stores/primitives/failure.ts'

export interface Action {
  /**
   * Resolves to true when it was done; a failure is kept for the view. While one is under way another is not begun: what
   * must not wait for each other takes an action each. The signal says that the view is gone.
   */
  run(task: (signal: AbortSignal) => Promise<unknown>): Promise<boolean>
  readonly isBusy: boolean
  readonly failure: QuarterdeckError | null
}

/** One thing at a time, with its failure beside it. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<QuarterdeckError | null>(null)
  const current = useRef<AbortController | null>(null)
  useEffect(() => () => current.current?.abort(), [])
  async function run(task: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    if (current.current !== null) return false
    const leaving = new AbortController()
    current.current = leaving
    setBusy(true)
    setFailure(null)
    try {
      await task(leaving.signal)
      return true
    } catch (error) {
      if (!leaving.signal.aborted) setFailure(failureOf(error))
      return false
    } finally {
      current.current = null
      setBusy(false)
    }
  }
  return { run, isBusy, failure }
}
