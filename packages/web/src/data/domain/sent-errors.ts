import type { Analysis, AnalysisStep, Run } from './analysis.ts'

/** The same runs, where a step that left only an error says how much of it was sent: the ledger knows. */
export function withSentErrors({ runs, ledger }: Pick<Analysis, 'runs' | 'ledger'>): readonly Run[] {
  const errors = new Map<number, number>()
  for (const { what, step, bytes } of ledger) {
    if (what === 'error' && step !== null) errors.set(step, bytes)
  }
  if (errors.size === 0) return runs
  const withError = (step: AnalysisStep): AnalysisStep => {
    const bytes = step.sent === null ? errors.get(step.n) : undefined
    return bytes === undefined ? step : { ...step, sent: { bytes, rows: 0, isError: true } }
  }
  return runs.map((run) => ({ ...run, steps: run.steps.map(withError) }))
}
