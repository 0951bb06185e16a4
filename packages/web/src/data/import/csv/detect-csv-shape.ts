// Detects the delimiter and the header row of a CSV.
import { guessType } from '../columns/guess-type.ts'
import { isTableName } from '../source/detect-format.ts'
import { csvRows } from './csv-rows.ts'

const delimiters = [',', ';', '\t', '|'] as const

/** The delimiter that splits most lines into the same number of values, at least two. */
export function detectDelimiter(text: string): string {
  const scored = delimiters.map((delimiter) => ({ delimiter, score: scoreOf(text, delimiter) }))
  const best = scored.reduce((one, other) => (other.score > one.score ? other : one))
  return best.score > 0 ? best.delimiter : ','
}

function scoreOf(text: string, delimiter: string): number {
  const { rows } = csvRows(text, { delimiter, maxRows: 300 })
  const width = commonWidth(rows)
  if (width < 2) return 0
  const same = rows.filter((row) => row.length === width).length / rows.length
  // Agreement counts first: a decimal comma splits some lines, the real delimiter splits all of them.
  return same + (rows[0]?.length === width ? 0.2 : 0) + Math.min(width, 50) / 1000
}

export function commonWidth(rows: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>()
  for (const row of rows) counts.set(row.length, (counts.get(row.length) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])[0]
}

/** A first line with values of the type of their column is not a header. Any other first line is. */
export function detectHeader(rows: readonly (readonly string[])[]): boolean {
  const [first = [], ...others] = rows
  if (others.length === 0) return !first.some((value) => isTyped([value]))
  const columns = first.map((value, index) => ({ value, isTyped: isTyped(others.map((row) => row[index] ?? '')) }))
  const typed = columns.filter(({ value, isTyped }) => isTyped && value.trim() !== '')
  if (typed.length > 0) return typed.some(({ value }) => !isTyped([value]))
  if (first.some((value) => isTyped([value]))) return false
  // If all columns are text, a header does not repeat below.
  return !others.some((row) => row.length === first.length && row.every((value, index) => value === first[index]))
}

const isTyped = (values: readonly string[]): boolean => guessType(values).type !== 'VARCHAR'

export interface ProseSample {
  readonly file: string
  readonly rows: readonly (readonly string[])[]
  readonly width: number
}

/** Whether the file is prose, such as a letter. If unclear, or with a file extension of tables, it is a table. */
export function isProse({ file, rows, width }: ProseSample): boolean {
  if (isTableName(file)) return false
  const [first = [], ...below] = rows
  const fitting = below.filter((row) => row.length === width).length
  const isMost = fitting * 2 > below.length
  // A line without a comma is one cell, so two of them prove nothing.
  if (isMost && (width > 1 || fitting > 2)) return false
  // A title looks like column names, so the lines below must agree with it.
  if ((isMost || below.length === 0) && first.every(isHeading)) return false
  const words = rows.reduce((sum, row) => sum + row.reduce((count, cell) => count + wordsIn(cell), 0), 0)
  return words / rows.length >= 4
}

/** A column name: one to three words that do not end a sentence. */
const isHeading = (cell: string): boolean => wordsIn(cell) > 0 && wordsIn(cell) <= 3 && !/[.!?:]\s*$/.test(cell)

const wordsIn = (cell: string): number => cell.match(/\p{L}[\p{L}\p{M}'’-]*/gu)?.length ?? 0
