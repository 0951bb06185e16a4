import type { Step } from '../analysis.ts'
import type { KnownTable } from './known-tables.ts'

/**
 * How many rows stand behind a step that is no summary. It can hold one row of many, or each row many times: its own size
 * says nothing. Those of the smallest table that it or a step it reads can have named.
 */
export function stepSize(n: number, steps: readonly Step[], tables: readonly KnownTable[]): number {
  const seen = new Set<number>()
  const open = [n]
  const texts: string[] = []
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    for (const { code, original, reads } of steps.filter((step) => step.n === next)) {
      const text = `${code}\n${original}`.toLowerCase()
      texts.push(text)
      open.push(...reads, ...[...text.matchAll(/step_(\d+)/g)].map(([, digits]) => Number(digits)))
    }
  }
  const isNamed = ({ name }: KnownTable): boolean =>
    [name, name.replaceAll('"', '""')].some((one) => texts.some((text) => text.includes(one.toLowerCase())))
  const named = tables.filter(isNamed)
  return Math.min(...(named.length === 0 ? tables : named).map(({ rowCount }) => rowCount))
}
