// How a CSV is written: what is between its values, and whether its first line names them.

import { guessType } from '../columns/guess-type.ts'
import { csvRows } from './csv-rows.ts'

const delimiters = [',', ';', '\t', '|'] as const

/** The one that cuts most lines into the same number of values, more than one. */
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
  // Agreement first: a decimal comma cuts some lines, the real delimiter cuts all of them.
  return same + (rows[0]?.length === width ? 0.2 : 0) + Math.min(width, 50) / 1000
}

export function commonWidth(rows: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>()
  for (const row of rows) counts.set(row.length, (counts.get(row.length) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])[0]
}

/** Values that are of their column's own type are no names; everything else in the first line is taken as names. */
export function detectHeader(rows: readonly (readonly string[])[]): boolean {
  const [first = [], ...others] = rows
  if (others.length === 0) return !first.some((value) => isTyped([value]))
  const columns = first.map((value, index) => ({ value, isTyped: isTyped(others.map((row) => row[index] ?? '')) }))
  const typed = columns.filter(({ value, isTyped }) => isTyped && value.trim() !== '')
  if (typed.length > 0) return typed.some(({ value }) => !isTyped([value]))
  if (first.some((value) => isTyped([value]))) return false
  // All text: a line of names is not seen again below it.
  return !others.some((row) => row.length === first.length && row.every((value, index) => value === first[index]))
}

const isTyped = (values: readonly string[]): boolean => guessType(values).type !== 'VARCHAR'
