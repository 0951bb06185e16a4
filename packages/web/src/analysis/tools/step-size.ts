import type { Step } from '../analysis.ts'
import { stepsBehind, textOf } from '../steps/step-texts.ts'
import type { KnownTable } from './known-tables.ts'

/**
 * How many rows stand behind a step that is no summary. It can hold one row of many, or each row many times: its own size
 * says nothing. Those of the smallest table that it or a step it reads can have named.
 */
export function stepSize(n: number, steps: readonly Step[], tables: readonly KnownTable[]): number {
  const step = steps.find((one) => one.n === n)
  const texts = step === undefined ? [] : stepsBehind(step, steps).map((one) => textOf(one).toLowerCase())
  const isNamed = ({ name }: KnownTable): boolean =>
    [name, name.replaceAll('"', '""')].some((one) => texts.some((text) => text.includes(one.toLowerCase())))
  const named = tables.filter(isNamed)
  return Math.min(...(named.length === 0 ? tables : named).map(({ rowCount }) => rowCount))
}
