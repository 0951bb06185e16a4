// The most useful fact about a column, where there is space for one.
import { shortCount } from '../../../components/format/short-count.ts'
import { type Cell, cellText } from '../../domain/cells.ts'
import type { ColumnProfile } from '../../domain/table-profile.ts'

export function columnFact(column: ColumnProfile, rowCount: number): string {
  if (rowCount === 0) return 'no rows'
  if (column.nulls === rowCount) return 'empty'
  // The time range is more useful than uniqueness. Uniqueness is left out if there are empty cells.
  if (column.isUnique && column.nulls === 0 && column.kind !== 'date') return 'unique'
  const empty = (100 * column.nulls) / rowCount
  if (empty >= 0.05) return `${percent(empty)} % empty`
  if (column.distinct === 1) return 'all the same'
  const range = column.range === null ? null : rangeLabel(column.range, column.kind === 'date')
  if (range !== null) return range
  return `${shortCount(column.distinct)} values`
}

/** Describes the small histogram for screen readers. */
export function shapeLabel({ kind, range, top }: ColumnProfile): string {
  if (range !== null && (kind === 'number' || kind === 'date' || kind === 'time')) {
    return `from ${valueLabel(range.min)} to ${valueLabel(range.max)}`
  }
  const names = top.slice(0, 3).map(({ value }) => valueLabel(value))
  return names.length === 0 ? 'no values' : `most often ${names.join(', ')}`
}

function rangeLabel({ min, max }: { readonly min: Cell; readonly max: Cell }, isDate: boolean): string | null {
  if (min === null || max === null) return null
  if (isDate) return dateRange(String(min), String(max))
  if (typeof min === 'string' || typeof max === 'string') return null
  const both = `${short(Number(min))}–${short(Number(max))}`
  return both.length <= 13 ? both : null
}

/** `Jul–Sep`, `3–9 Jul`, `1998–2026`: as coarse as possible. */
function dateRange(min: string, max: string): string | null {
  const [from, to] = [min, max].map((text) => /^(\d{4})-(\d\d)-(\d\d)/.exec(text))
  if (!from || !to) return null
  const [, year, month, day] = from
  const [, toYear, toMonth, toDay] = to
  if (year !== toYear) return `${year}–${toYear}`
  if (month !== toMonth) return `${monthOf(month)}–${monthOf(toMonth)}`
  return day === toDay ? `${Number(day)} ${monthOf(month)}` : `${Number(day)}–${Number(toDay)} ${monthOf(month)}`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const monthOf = (text: string | undefined): string => months[Number(text) - 1] ?? ''

const short = (value: number): string => {
  if (Math.abs(value) >= 10_000) return (value < 0 ? '-' : '') + shortCount(Math.abs(value))
  return String(Number(value.toPrecision(3)))
}

const percent = (share: number): string => (share < 10 ? share.toFixed(1) : String(Math.round(share)))

const valueLabel = (cell: Cell): string => (cell === null ? 'nothing' : cellText(cell).slice(0, 40))
