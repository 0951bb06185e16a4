// Whether DuckDB can read a CSV unchanged. Checks every byte in parallel to DuckDB's own load, and decodes only cells
// that are not clearly of the type of their column.
import type { PlannedColumn } from '../../domain/import-plan.ts'
import { readText } from '../columns/read-text.ts'
import { cellEnd, cellEnds, cellText, cr, hasOneLineEnd, lineEndSize } from './csv-bytes.ts'
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
  if (csv.columns.some(isRead)) return false
  const tests = csv.columns.map(({ type }) => plainTestOf(type))
  const isOneLineEnd = hasOneLineEnd(csv.bytes)
  return tests.every((test) => test === null) ? isOneLineEnd : areCellsReady(csv, tests, isOneLineEnd)
}

/** Surplus values have no test: such rows are rejected anyway. */
function areCellsReady(
  { bytes, delimiter, hasHeader, columns }: CsvToRead,
  tests: readonly (PlainTest | null)[],
  isOneLineEnd: boolean,
): boolean {
  const separator = delimiter.charCodeAt(0)
  const ends = cellEnds(separator)
  let isHeader = hasHeader
  let column = 0
  let at = 0
  while (at < bytes.length) {
    const end = cellEnd(bytes, at, ends)
    const isPlain = isHeader ? null : (tests[column] ?? null)
    if (isPlain !== null && !isPlain(bytes, at, end)) {
      const text = cellText(bytes, at, end)
      if (readText(text, columns[column]?.type ?? 'VARCHAR') !== text) return false
    }
    if (bytes[end] === separator) {
      at = end + 1
      column += 1
      continue
    }
    if (bytes[end] === cr && !isOneLineEnd) return false
    at = end + lineEndSize(bytes, end)
    column = 0
    isHeader = false
  }
  return true
}
