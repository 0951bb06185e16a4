import { useEffect, useState } from 'react'
import { type AnalysisStep, hasRows } from '../../domain/analysis.ts'
import type { EngineState, OpenAnalysis } from '../../domain/data-services.ts'
import type { ReadResult } from '../../domain/query-engine.ts'
import { stepRowLimit } from '../../proof/create-answer-proofs.ts'

export type LoadedRows =
  | { readonly status: 'none' | 'loading' }
  | { readonly status: 'there'; readonly rows: ReadResult; readonly total: number | null }
  | { readonly status: 'failed'; readonly message: string }

/** The rows of the selected step, reloaded when it ran again or when the database starts. */
export function useStepRows(open: OpenAnalysis, step: AnalysisStep | null, engine: EngineState['status']): LoadedRows {
  const [loaded, setLoaded] = useState<LoadedRows>({ status: 'none' })
  const [n, version] =
    step !== null && hasRows(step) ? [step.n, `${step.startedAt} ${step.elapsedMs} ${step.rowCount}`] : [null, '']
  const total = step?.rowCount ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes when its rows do
  useEffect(() => {
    if (n === null) {
      setLoaded({ status: 'none' })
      return
    }
    const leaving = new AbortController()
    setLoaded({ status: 'loading' })
    open.rows(n, stepRowLimit, leaving.signal).then(
      (rows) => leaving.signal.aborted || setLoaded({ status: 'there', rows, total: rows.rowCount ?? total }),
      (error: unknown) =>
        leaving.signal.aborted ||
        setLoaded({ status: 'failed', message: error instanceof Error ? error.message : String(error) }),
    )
    return () => leaving.abort()
  }, [open, n, version, engine])
  return loaded
}
