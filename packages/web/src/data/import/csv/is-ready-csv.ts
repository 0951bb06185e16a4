// Whether DuckDB can read a CSV unchanged. Checks every byte in parallel to DuckDB's own load, and decodes only cells
// that are not clearly of the type of their column.
import type { PlannedColumn } from '../../domain/import-plan.ts'
import { readText } from '../columns/read-text.ts'
import { cellEnds, cellText, cr, hasOneLineEnd, type LineEnds, lf, quote, throughQuotes } from './csv-bytes.ts'
import { type PlainTest, plainTestOf } from './plain-cell.ts'

export interface CsvToRead {
  /** UTF-8 without a byte order mark. */
  readonly bytes: Uint8Array
  readonly delimiter: string
  readonly hasHeader: boolean
  readonly columns: readonly Pick<PlannedColumn, 'type' | 'reading'>[]
}

/** DuckDB cannot read cells of such a column by itself. */
export const isRead = ({ type, reading }: CsvToRead['columns'][number]): boolean =>
  reading !== undefined && type !== null && type !== 'VARCHAR'

/** Whether no cell would change and all line ends are equal. */
export function isReadyCsv(csv: CsvToRead): boolean {
  const { bytes, columns } = csv
  if (columns.some(isRead)) return false
  // One more column for surplus values; such rows are rejected anyway.
  const tests = [...columns.map(({ type }) => plainTestOf(type)), null]
  return tests.some((test) => test !== null) ? areCellsReady(csv, tests) : hasOneLineEnd(bytes)
}

/** One pass over the bytes, because large files go through here: line ends are counted on the way. */
function areCellsReady(
  { bytes, delimiter, hasHeader, columns }: CsvToRead,
  tests: readonly (PlainTest | null)[],
): boolean {
  const { length } = bytes
  const separator = delimiter.charCodeAt(0)
  const isEnd = cellEnds(separator)
  const last = tests.length - 1
  const lineEnds: LineEnds = { feeds: 0, returns: 0 }
  let hasReturns = false
  let row = hasHeader ? tests.map(() => null) : tests
  let column = 0
  let at = 0
  while (at < length) {
    const start = at
    if (bytes[at] === quote) at = throughQuotes(bytes, at, lineEnds)
    while (at < length && isEnd[bytes[at] ?? 0] === 0) at += 1
    const isPlain = row[column] ?? null
    if (isPlain !== null && !isPlain(bytes, start, at)) {
      const text = cellText(bytes, start, at)
      if (readText(text, columns[column]?.type ?? 'VARCHAR') !== text) return false
    }
    if (at < length && bytes[at] === separator) {
      at += 1
      if (column < last) column += 1
      continue
    }
    if (bytes[at] === cr) {
      at += 1
      if (bytes[at] !== lf) return false
      lineEnds.returns += 1
      hasReturns = true
    }
    if (bytes[at] === lf) lineEnds.feeds += 1
    if (hasReturns && lineEnds.returns !== lineEnds.feeds) return false
    at += 1
    column = 0
    row = tests
  }
  return !hasReturns || lineEnds.returns === lineEnds.feeds
}
