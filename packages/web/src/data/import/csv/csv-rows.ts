// Parses a piece of CSV for detection and preview. DuckDB reads the file itself.
import { cr, lf, quote } from './csv-bytes.ts'

export interface CsvRows {
  readonly rows: readonly (readonly string[])[]
  /** The text ended inside quotes: the file is broken, or the piece was cut there. */
  readonly isOpen: boolean
}

export interface CsvOptions {
  readonly delimiter: string
  readonly maxRows: number
}

/** Empty lines are skipped. A quote inside a value is part of it. */
export function csvRows(text: string, { delimiter, maxRows }: CsvOptions): CsvRows {
  const separator = delimiter.charCodeAt(0)
  const rows: (readonly string[])[] = []
  // One buffer for all rows. Rows are exact copies, because a growing array reserves up to four times the space.
  const row: string[] = []
  let at = 0
  while (at < text.length && rows.length < maxRows) {
    const isQuoted = text.charCodeAt(at) === quote
    const closing = isQuoted ? closingQuote(text, at) : at
    if (closing < 0) return { rows, isOpen: true }
    const end = plainEnd(text, isQuoted ? closing + 1 : at, separator)
    row.push(isQuoted ? unquoted(text, { opening: at, closing, end }) : text.slice(at, end))
    at = end
    if (text.charCodeAt(at) === separator) {
      at += 1
      // The file ends after a delimiter: adds one empty cell.
      if (at === text.length) row.push('')
      else continue
    }
    if (row.length > 1 || row[0] !== '') rows.push(row.slice())
    row.length = 0
    at += text.charCodeAt(at) === cr && text.charCodeAt(at + 1) === lf ? 2 : 1
  }
  if (row.length > 0) rows.push(row.slice())
  return { rows, isOpen: false }
}

function plainEnd(text: string, start: number, separator: number): number {
  let end = start
  while (end < text.length) {
    const code = text.charCodeAt(end)
    if (code === separator || code === lf || code === cr) break
    end += 1
  }
  return end
}

/** -1 if it is never closed. */
function closingQuote(text: string, opening: number): number {
  let at = text.indexOf('"', opening + 1)
  while (at >= 0 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2)
  return at
}

/** Text after the closing quote stays part of the value. */
const unquoted = (text: string, cell: { opening: number; closing: number; end: number }): string =>
  text.slice(cell.opening + 1, cell.closing).replaceAll('""', '"') + text.slice(cell.closing + 1, cell.end)
