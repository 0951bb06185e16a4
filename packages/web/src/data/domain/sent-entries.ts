import type { Analysis, AnalysisStep, Run, SentEntry, SentPart } from './analysis.ts'
import { countLabel } from './count-label.ts'

/** Returns the runs with the size of sent errors added to steps that have no other sent data. */
export function withSentErrors({ runs, sent }: Pick<Analysis, 'runs' | 'sent'>): readonly Run[] {
  const errors = new Map<number, number>()
  for (const { what, step, bytes } of sent) {
    if (what === 'error' && step !== null) errors.set(step, bytes)
  }
  if (errors.size === 0) return runs
  const withError = (step: AnalysisStep): AnalysisStep => {
    const bytes = step.sent === null ? errors.get(step.n) : undefined
    return bytes === undefined ? step : { ...step, sent: { bytes, rows: 0, isError: true } }
  }
  return runs.map((run) => ({ ...run, steps: run.steps.map(withError) }))
}

const one = { summary: 'summary row', files: 'row' } as const

/** The number and kind of sent rows, such as "4 summary rows". Without a kind it says only "rows". */
export function sentRowsLabel({ rows, rowsKind }: Pick<SentEntry | SentPart, 'rows' | 'rowsKind'>): string {
  if (rows === 0) return 'no rows'
  return `${countLabel(rows, one[rowsKind ?? 'files'])}${rowsKind === 'files' ? ' of your files' : ''}`
}
