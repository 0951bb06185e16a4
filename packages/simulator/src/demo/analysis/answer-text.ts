// Sentences in which every number names the cell it comes from.
import type { PlannedStep } from './plan.ts'
import type { StepResult } from './step-result.ts'

export interface Claim {
  readonly text: string
  readonly stepId: number
  readonly column: string
  readonly row: number
  readonly value: unknown
}

export interface AnswerText {
  readonly text: string
  readonly claims: readonly Claim[]
}

/** A result and the number of its step. */
export interface Found extends StepResult {
  readonly step: number
}

/** An answer names this many groups; the step has all of them. */
const maxNamed = 5

export function describeStep({ title, result, unit = '' }: PlannedStep, found: Found): AnswerText {
  const { step, rows, rowCount } = found
  if (result === 'columns') return sentence([`${title}.`])
  if (result === 'rows') return sentence([`Step ${step} has ${title}.`])
  if (rowCount === 0) return sentence([`${title}: there are no rows.`])
  if (rows.length === 0) {
    return sentence([`${title}: the values are not shown at this privacy level. Step ${step} has them.`])
  }
  if (result === 'value') {
    return rows[0]?.[0] == null
      ? sentence([`${title}: there is no value.`])
      : sentence([`${title} is `, cellText(found, [0, 0]), '.'])
  }
  const pair = (row: number): readonly (string | AnswerText)[] => [
    ...[result === 'times' ? timeLabel(found, row) : cellText(found, [row, 0]), ' ('],
    ...[cellText(found, [row, 1], unit), ')'],
  ]
  if (result === 'times' && rows.length > 1) return describeTimes(title, found, pair)
  const shown = rows.slice(0, maxNamed).flatMap((_, row) => (row === 0 ? pair(row) : [', ', ...pair(row)]))
  const rest = rowCount > maxNamed ? [` Step ${step} has the others.`] : []
  return sentence([`${title}: `, ...shown, '.', ...rest])
}

function describeTimes(
  title: string,
  found: Found,
  pair: (row: number) => readonly (string | AnswerText)[],
): AnswerText {
  const { step, rows, rowCount } = found
  const known = rows.flatMap((row, index) => {
    const value = numberOf(row[1])
    return value === null ? [] : [{ index, value }]
  })
  const [high] = known.toSorted((one, other) => other.value - one.value)
  const [low] = known.toSorted((one, other) => one.value - other.value)
  // The highest of the rows that were sent may not be the highest of all.
  if (high === undefined || low === undefined || rows.length < rowCount) {
    return sentence([`${title}: step ${step} has all of it.`])
  }
  return sentence([`${title}: highest in `, ...pair(high.index), ', lowest in ', ...pair(low.index), '.'])
}

const sentence = (parts: readonly (string | AnswerText)[]): AnswerText => ({
  text: parts.map((part) => (typeof part === 'string' ? part : part.text)).join(''),
  claims: parts.flatMap((part) => (typeof part === 'string' ? [] : part.claims)),
})

/** A number is formatted and gets a claim that names its cell. Any other cell is written unchanged. */
function cellText({ step, columns, rows }: Found, [row, column]: readonly [number, number], unit = ''): AnswerText {
  const value = rows[row]?.[column] ?? null
  if (numberOf(value) === null) return { text: value === null || value === '' ? '(empty)' : String(value), claims: [] }
  const text = `${numberText(value)}${unit}`
  return { text, claims: [{ text, stepId: step, column: columns[column] ?? String(column), row, value }] }
}

/** Numbers, and whole numbers that are too long for a JavaScript number: they arrive as text. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  return typeof value === 'string' && /^-?\d{16,}$/.test(value) ? Number(value) : null
}

/** Whole numbers are written in full, other numbers are rounded if they are long. */
function numberText(value: unknown): string {
  if (typeof value === 'string') return new Intl.NumberFormat('en-US').format(BigInt(value))
  const number = Number(value)
  if (Number.isSafeInteger(number)) return new Intl.NumberFormat('en-US').format(number)
  // Sums of decimals have rounding errors: only fifteen digits are exact.
  const shown = Number(number.toPrecision(15))
  const size = Math.abs(shown)
  const isShort = /^-?\d+(?:\.\d{1,2})?$/.test(String(shown))
  const digits = isShort || (size >= 1 && size < 100) ? 2 : size >= 100 ? 1 : 4
  return new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(shown)
}

const monthNames = 'January February March April May June July August September October November December'.split(' ')

/** The name of a period, which is given by its first day. The name of the column is the unit. */
function timeLabel({ columns: [unit], rows }: Found, row: number): string {
  const value = String(rows[row]?.[0])
  const [, year = '', month = ''] = /^(\d{4})-(\d\d)-\d\d/.exec(value) ?? []
  if (unit === 'year') return year || value
  if (unit === 'quarter' && year !== '') return `Q${Math.ceil(Number(month) / 3)} ${year}`
  return unit === 'month' && year !== '' ? `${monthNames[Number(month) - 1]} ${year}` : value
}
