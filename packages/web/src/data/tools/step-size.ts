import type { AnalysisStep } from '../domain/analysis.ts'
import type { QueryableTable } from '../domain/query-engine.ts'
import { namesIn } from '../steps/step-sources.ts'
import { sqlBehind } from '../steps/step-texts.ts'

/**
 * The number of source rows of a step that is not a summary. Its own size says nothing, because it can hold one row of
 * many or repeat rows. Returns the size of the smallest table that the step, or a step it reads, names outside of
 * comments.
 */
export function stepSize(n: number, steps: readonly AnalysisStep[], tables: readonly QueryableTable[]): number {
  const step = steps.find((one) => one.n === n)
  const names = step === undefined ? [] : sqlBehind(step, steps).map(namesIn)
  const isNamed = ({ name }: QueryableTable): boolean => names.some((has) => has(name))
  const named = tables.filter(isNamed)
  return Math.min(...(named.length === 0 ? tables : named).map(({ rowCount }) => rowCount))
}
