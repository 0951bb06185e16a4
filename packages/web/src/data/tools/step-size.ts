import type { AnalysisStep } from '../domain/analysis.ts'
import { namesIn } from '../steps/step-sources.ts'
import { sqlBehind } from '../steps/step-texts.ts'
import type { QueryableTable } from './queryable-tables.ts'

/**
 * How many rows stand behind a step that is no summary. It can hold one row of many, or each row many times: its own size
 * says nothing. Those of the smallest table that it or a step it reads can have named; a comment names none.
 */
export function stepSize(n: number, steps: readonly AnalysisStep[], tables: readonly QueryableTable[]): number {
  const step = steps.find((one) => one.n === n)
  const names = step === undefined ? [] : sqlBehind(step, steps).map(namesIn)
  const isNamed = ({ name }: QueryableTable): boolean => names.some((has) => has(name))
  const named = tables.filter(isNamed)
  return Math.min(...(named.length === 0 ? tables : named).map(({ rowCount }) => rowCount))
}
