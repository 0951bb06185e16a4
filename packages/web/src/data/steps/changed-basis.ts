import { type AnalysisStep, isEdited, type Run } from '../domain/analysis.ts'

/** Steps of an answer that changed since: edited ones, otherwise stale ones. Empty if the answer is current. */
export function changedBasis({ answer, steps: own }: Run, all: readonly AnalysisStep[]): readonly number[] {
  if (answer === null) return []
  const named = [
    ...(answer.sourceStep === undefined ? [] : [answer.sourceStep]),
    ...(answer.claims ?? []).map(({ stepId }) => stepId),
    ...(answer.charts ?? []).map(({ sourceStep }) => sourceStep),
  ]
  const byNumber = new Map(all.map((step) => [step.n, step]))
  const open = named.length > 0 ? named : own.map(({ n }) => n)
  const seen = new Map<number, AnalysisStep>()
  while (open.length > 0) {
    const step = byNumber.get(open.pop() ?? 0)
    if (step === undefined || seen.has(step.n)) continue
    seen.set(step.n, step)
    open.push(...step.reads)
  }
  const steps = [...seen.values()].sort((one, other) => one.n - other.n)
  const edited = steps.filter(isEdited)
  return (edited.length > 0 ? edited : steps.filter(({ state }) => state === 'stale')).map(({ n }) => n)
}
