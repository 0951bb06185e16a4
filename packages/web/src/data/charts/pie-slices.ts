import type { ChartChoice } from '../domain/analysis.ts'
import type { XScale } from './chart-axis.ts'
import type { Mark } from './marks-of.ts'

/** More parts cannot be told apart. */
const [usualParts, mostParts] = [5, 8]

export interface PieSlices {
  /** How many parts the pie has, all others being one of them. */
  readonly parts: number
  /** Why it is no pie; whoever asked for a number of parts gets them. */
  readonly problem: string | null
}

/** Periods of time have no others, and others that are the largest part hide what the whole is made of. */
export function pieSlices(marks: readonly Mark[], { limit }: Pick<ChartChoice, 'limit'>, scale: XScale): PieSlices {
  if (limit !== null) return { parts: Math.min(limit, mostParts), problem: null }
  const totals = new Map<string, number>()
  for (const { name, y } of marks) totals.set(name, (totals.get(name) ?? 0) + y)
  const sizes = [...totals.values()].toSorted((one, other) => other - one)
  if (scale.kind === 'time') {
    const problem = `Bars instead of a pie: ${sizes.length} periods are more parts than can be told apart`
    return { parts: mostParts, problem: sizes.length <= mostParts ? null : problem }
  }
  const parts = [usualParts, mostParts].find((count) => sizes.length <= count || !areOthersLargest(sizes, count))
  if (parts !== undefined) return { parts, problem: null }
  return { parts: mostParts, problem: 'Bars instead of a pie: all others together would be its largest part' }
}

function areOthersLargest(sizes: readonly number[], parts: number): boolean {
  const others = sizes.slice(parts - 1).reduce((sum, size) => sum + size, 0)
  return others > (sizes[0] ?? 0)
}
