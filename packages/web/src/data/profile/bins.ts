// The histogram of a numeric or date column: equal bins over its range.
import type { ColumnProfile } from '../domain/table-profile.ts'
import type { AskTable } from './ask-table.ts'
import { asNumber, type ColumnFacts, isoOf } from './column-facts.ts'

type Bins = ColumnProfile['bins']

const mostBins = 20

export interface BinPlan {
  readonly min: number
  readonly width: number
  readonly count: number
  readonly labels: readonly string[]
}

/** By column; `null` if there is nothing to measure. */
export async function countBins(ask: AskTable, facts: readonly ColumnFacts[]): Promise<readonly (Bins | null)[]> {
  const plans = facts.map(planBins)
  const asked = facts.flatMap((one, index) => {
    const plan = plans[index]
    return plan === null || plan === undefined ? [] : [binned(one, plan)]
  })
  const answers = await ask.values(asked)
  let next = 0
  return plans.map((plan) => {
    if (plan === null) return null
    const counts = readCounts(answers[next])
    next += 1
    return plan.labels.map((label, bin) => ({ label, count: counts.get(bin) ?? 0 }))
  })
}

/** One map from bin to count: separate counts are five times as expensive. */
function binned({ column }: ColumnFacts, { min, width, count }: BinPlan): string {
  const bin = `least(${count - 1}, greatest(0, floor((${asNumber(column)} - (${min})) / ${width})))`
  return `histogram((${bin})::UTINYINT)`
}

/** Maps are returned as text: `{"0":50,"7":3}`. */
function readCounts(cell: unknown): ReadonlyMap<number, number> {
  if (typeof cell !== 'string') return new Map()
  const pairs = cell.matchAll(/"?(\d+)"?\s*[:=]\s*"?(\d+)"?/g)
  return new Map([...pairs].map(([, bin, count]) => [Number(bin), Number(count)]))
}

export function planBins({ span, isWhole, column, kind }: ColumnFacts): BinPlan | null {
  if (span === null) return null
  const { min, max } = span
  const size = max - min
  if (!Number.isFinite(size)) return null
  const isDay = column.type.toUpperCase() === 'DATE'
  if (isWhole && size < mostBins) return steps({ min, width: 1, count: size + 1, label: (from) => numberText(from, 1) })
  const days = size / dayMs
  if (isDay && days < mostBins) return steps({ min, width: dayMs, count: days + 1, label: (from) => isoOf(from, true) })
  if (size === 0) return steps({ min, width: 1, count: 1, label: (from) => edgeText(from, kind === 'date', size) })
  const width = size / mostBins
  const label = (from: number) =>
    `${edgeText(from, kind === 'date', width)} to ${edgeText(from + width, kind === 'date', width)}`
  return steps({ min, width, count: mostBins, label })
}

const dayMs = 86_400_000

interface Steps extends Omit<BinPlan, 'labels'> {
  readonly label: (from: number) => string
}

function steps({ min, width, count, label }: Steps): BinPlan {
  const whole = Math.round(count)
  return { min, width, count: whole, labels: Array.from({ length: whole }, (_, bin) => label(min + bin * width)) }
}

function edgeText(value: number, isDate: boolean, width: number): string {
  if (!isDate) return numberText(value, width)
  return width > dayMs ? isoOf(value, true) : isoOf(value, false).slice(0, 16).replace('T', ' ')
}

/** As many digits as needed to distinguish two edges. */
function numberText(value: number, width: number): string {
  const digits = Math.min(12, Math.max(0, Math.ceil(1 - Math.log10(width))))
  return width === 1 ? String(value) : String(Number(value.toFixed(digits)))
}
