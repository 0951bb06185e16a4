import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useEffect, useRef, useState } from 'react'
import { failureOf } from '../stores/primitives/failure.ts'

export interface Action {
  /**
   * Resolves to true on success; a failure is stored in `failure`. While a task runs, another `run` returns false: use
   * one action per independent task. The signal aborts when the view unmounts.
   */
  run(task: (signal: AbortSignal) => Promise<unknown>): Promise<boolean>
  readonly isBusy: boolean
  readonly failure: QuarterdeckError | null
}

/** Runs one task at a time and holds its failure. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<QuarterdeckError | null>(null)
  const current = useRef<AbortController | null>(null)
  useEffect(() => () => current.current?.abort(), [])
  async function run(task: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    if (current.current !== null) return false
    const controller = new AbortController()
    current.current = controller
    setBusy(true)
    setFailure(null)
    try {
      await task(controller.signal)
      return true
    } catch (error) {
      if (!controller.signal.aborted) setFailure(failureOf(error))
      return false
    } finally {
      current.current = null
      setBusy(false)
    }
  }
  return { run, isBusy, failure }
}
