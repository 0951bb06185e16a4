import type { ChartChoice } from '../domain/analysis.ts'
import type { XScale } from './chart-axis.ts'
import type { Mark } from './chart-marks.ts'

/** More slices cannot be distinguished. */
const [usualParts, mostParts] = [5, 8]

export interface PieSlices {
  /** The number of slices, including one for all others. */
  readonly parts: number
  /** Why bars are drawn instead. A requested number of slices is always kept. */
  readonly problem: string | null
}

/** Periods of time have no "others", and "others" as the largest slice would hide the composition. */
export function pieSlices(marks: readonly Mark[], { limit }: Pick<ChartChoice, 'limit'>, scale: XScale): PieSlices {
  if (limit !== null) return { parts: Math.min(limit, mostParts), problem: null }
  const totals = new Map<string, number>()
  for (const { name, y } of marks) totals.set(name, (totals.get(name) ?? 0) + y)
  const sizes = [...totals.values()].toSorted((one, other) => other - one)
  if (scale.kind === 'time') {
    const problem = `Bars instead of a pie: ${sizes.length} periods are too many slices to distinguish`
    return { parts: mostParts, problem: sizes.length <= mostParts ? null : problem }
  }
  const parts = [usualParts, mostParts].find((count) => sizes.length <= count || !areOthersLargest(sizes, count))
  if (parts !== undefined) return { parts, problem: null }
  return { parts: mostParts, problem: 'Bars instead of a pie: “others” would be the largest slice' }
}

function areOthersLargest(sizes: readonly number[], parts: number): boolean {
  const others = sizes.slice(parts - 1).reduce((sum, size) => sum + size, 0)
  return others > (sizes[0] ?? 0)
}
