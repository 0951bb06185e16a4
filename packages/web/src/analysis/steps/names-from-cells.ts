// Whether the names of a step's columns can be cells: a PIVOT names columns after them, and so may code.
import type { Step } from '../analysis.ts'

export type NamedStep = Pick<Step, 'language' | 'code'> & Partial<Pick<Step, 'n' | 'original'>>

/**
 * By the letters of its text and of all it reads, comments and strings included: in doubt they are cells. Any other query
 * has the names its tables and its own words give it, whatever is in the rows.
 */
export function hasNamesFromCells(step: NamedStep, steps: readonly NamedStep[]): boolean {
  const seen = new Set<NamedStep>()
  const open = [step]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if (next.language !== 'sql') return true
    const text = `${next.code}\n${next.original ?? ''}`
    if (/(?<!\bun)pivot/i.test(text)) return true
    const read = new Set([...text.matchAll(/step_(\d+)/gi)].map(([, n]) => Number(n)))
    open.push(...steps.filter(({ n }) => n !== undefined && read.has(n)))
  }
  return false
}
