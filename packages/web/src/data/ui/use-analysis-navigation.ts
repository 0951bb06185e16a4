import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { isCell, type Proof } from '../domain/proof.ts'
import { type AnalysisSearch, type AnalysisTab, analysisSearch } from './analysis-search.ts'

export type AnalysisNavigation = ReturnType<typeof useAnalysisNavigation>

/** The data that positions in the address refer to. */
export interface NavigationNames {
  readonly tables: readonly string[]
  /** `null` while unknown. */
  readonly columnsOf: (step: number) => readonly string[] | null
}

/** The current view of an analysis. It is in the address, so that a proof can be bookmarked and Back works. */
export function useAnalysisNavigation(analysisId: string, { tables, columnsOf }: NavigationNames) {
  // The router keeps invalid search values: parsing again drops an unknown tab.
  const search = useSearch({ from: '/data/$analysisId' })
  const { tab = 'ask', step, cell, table } = analysisSearch({ ...search })
  const navigate = useNavigate()
  const go = useCallback(
    (next: AnalysisSearch) =>
      void navigate({ to: '/data/$analysisId', params: { analysisId }, search: next, resetScroll: false }),
    [navigate, analysisId],
  )
  const [row, columnIndex] = (cell ?? '').split('-').map(Number)
  const column = step === undefined || columnIndex === undefined ? undefined : columnsOf(step)?.[columnIndex]
  /** The selected step, and the cell of it that a number links to. */
  const chosen = useMemo(
    () => (step === undefined ? null : { step, proof: proofOf(step, row, column) }),
    [step, row, column],
  )
  return {
    tab,
    chosen,
    table: table === undefined ? null : (tables[table - 1] ?? null),
    goTab: useCallback((next: AnalysisTab) => go(next === 'ask' ? {} : { tab: next }), [go]),
    goProfile: useCallback(
      (name: string) => go({ tab: 'profile', ...(tables.includes(name) ? { table: tables.indexOf(name) + 1 } : {}) }),
      [go, tables],
    ),
    goStep: useCallback((next: number | null) => go(next === null ? {} : { step: next }), [go]),
    goProof: useCallback(
      (proof: Proof) => {
        const at = isCell(proof) ? (columnsOf(proof.step)?.indexOf(proof.column) ?? -1) : -1
        go({ step: proof.step, ...(isCell(proof) && at >= 0 ? { cell: `${proof.row}-${at}` } : {}) })
      },
      [go, columnsOf],
    ),
  }
}

/** A step without a cell stands for its row count. */
const proofOf = (step: number, row: number | undefined, column: string | undefined): Proof =>
  row === undefined || column === undefined ? { step, rowCount: 0 } : { step, row, column }
