import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { isCell, type Proof } from '../analysis/proof.ts'
import { type AnalysisSearch, type AnalysisTab, analysisSearch } from './analysis-search.ts'

export interface AnalysisPlace {
  readonly tab: AnalysisTab
  readonly table: string | null
  /** The step that is looked at, and the cell of it a number led to. */
  readonly chosen: { readonly step: number; readonly proof: Proof } | null
  readonly goTab: (tab: AnalysisTab) => void
  readonly goProfile: (table: string) => void
  readonly goStep: (step: number | null) => void
  readonly goProof: (proof: Proof) => void
}

/** Where one is in an analysis: the address holds it, so that a proof can be bookmarked and Back works. */
export function useAnalysisPlace(analysisId: string): AnalysisPlace {
  // The router leaves in what its check left out: read once more, an unknown tab is none.
  const search = useSearch({ from: '/data/$analysisId' })
  const { tab = 'ask', step, cell, table } = analysisSearch({ ...search })
  const navigate = useNavigate()
  const go = useCallback(
    (next: AnalysisSearch) =>
      void navigate({ to: '/data/$analysisId', params: { analysisId }, search: next, resetScroll: false }),
    [navigate, analysisId],
  )
  const chosen = useMemo(() => (step === undefined ? null : { step, proof: proofOf(step, cell) }), [step, cell])
  return {
    ...{ tab, chosen, table: table ?? null },
    goTab: useCallback((next) => go(next === 'ask' ? {} : { tab: next }), [go]),
    goProfile: useCallback((name) => go({ tab: 'profile', table: name }), [go]),
    goStep: useCallback((next) => go(next === null ? {} : { step: next }), [go]),
    goProof: useCallback(
      (proof) => go({ step: proof.step, ...(isCell(proof) ? { cell: `${proof.row}.${proof.column}` } : {}) }),
      [go],
    ),
  }
}

/** A step without a cell stands for how many rows it has. */
function proofOf(step: number, cell: string | undefined): Proof {
  const [, row, column] = /^(\d{1,9})\.(.+)$/s.exec(cell ?? '') ?? []
  return row === undefined || column === undefined ? { step, rowCount: 0 } : { step, row: Number(row), column }
}
