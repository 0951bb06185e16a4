// Sentences whose every number has the cell it comes from.
import type { StepResult } from './step-result.ts'

export interface Claim {
  readonly text: string
  readonly stepId: number
  readonly column: string
  readonly row: number
  readonly value: unknown
}

export interface Said {
  readonly text: string
  readonly claims: readonly Claim[]
}

/** A result, and the step it is. */
export interface Found extends StepResult {
  readonly step: number
}

/** The number in a cell, written for people, with its claim. Cells without a number are said as they are. */
export function cellSaid(
  { step, columns, rows }: Found,
  [row, column]: readonly [row: number, column: number],
  suffix = '',
): Said {
  const value = rows[row]?.[column] ?? null
  const number = numberOf(value)
  if (number === null) return { text: labelOf(value), claims: [] }
  const text = `${numberText(number)}${suffix}`
  return { text, claims: [{ text, stepId: step, column: columns[column] ?? String(column), row, value }] }
}

export function sentence(parts: readonly (string | Said)[]): Said {
  return {
    text: parts.map((part) => (typeof part === 'string' ? part : part.text)).join(''),
    claims: parts.flatMap((part) => (typeof part === 'string' ? [] : part.claims)),
  }
}

/** "1 row", "2 rows". */
export const rowsText = (count: number): string => `${numberText(count)} ${count === 1 ? 'row' : 'rows'}`

/** The number of rows in a cell, with that word. */
export function rowsSaid(found: Found, cell: readonly [row: number, column: number]): Said {
  const isOne = numberOf(found.rows[cell[0]]?.[cell[1]]) === 1
  return sentence([cellSaid(found, cell), isOne ? ' row' : ' rows'])
}

export const numberOf = (value: unknown): number | null => {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : null
}

/** As the cell has it where that is short, else rounded, half away from zero. */
export function numberText(value: number): string {
  // Sums of decimals end in noise; fifteen digits are what a cell on the page shows.
  const shown = Number(value.toPrecision(15))
  const size = Math.abs(shown)
  const isShort = /^-?\d+(?:\.\d{1,2})?$/.test(String(shown))
  const digits = isShort || (size >= 1 && size < 100) ? 2 : size >= 100 ? 1 : 4
  return new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(shown)
}

export const labelOf = (value: unknown): string =>
  value === null || value === undefined || value === ''
    ? '(empty)'
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : String(value)

const monthNames = 'January February March April May June July August September October November December'.split(' ')

/** A day as the unit it stands for: the 1st of November is November. */
export function timeLabel(value: unknown, unit: string): string {
  const found = /^(\d{4})-(\d\d)(?:-(\d\d))?(?:[T ](\d\d:\d\d))?/.exec(String(value))
  if (found === null) return labelOf(value)
  const [, year = '', month = '', day = '01', time] = found
  if (unit === 'year') return year
  if (unit === 'quarter') return `Q${Math.ceil(Number(month) / 3)} ${year}`
  if (unit === 'month') return `${monthNames[Number(month) - 1]} ${year}`
  const date = `${year}-${month}-${day}`
  if (unit === 'week') return `the week of ${date}`
  return unit === 'hour' && time !== undefined ? `${date} ${time}` : date
}
