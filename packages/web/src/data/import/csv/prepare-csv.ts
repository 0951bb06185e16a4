// Prepares a CSV for DuckDB: equal line ends, dates and numbers in SQL notation, and text that SQL rejects in place of
// values that it would round or truncate. Keeps line numbers, so that rejected rows can be found in the file.
import { typedCell } from '../columns/as-type.ts'
import { readText } from '../columns/read-text.ts'
import { cellEnd, cellEnds, cellText, cr, hasOneLineEnd, lineEndSize } from './csv-bytes.ts'
import { type CsvToRead, isRead, isReadyCsv } from './is-ready-csv.ts'
import { plainTestOf } from './plain-cell.ts'

/** Returns the same bytes if nothing has to change, as in most files. */
export const prepareCsv = (csv: CsvToRead): Uint8Array => (isReadyCsv(csv) ? csv.bytes : rewriteCsv(csv))

/** Checks all cells. Also the reference in tests of `isReadyCsv`. */
export function rewriteCsv({ bytes, delimiter, hasHeader, columns }: CsvToRead): Uint8Array {
  const tests = columns.map((column) => (isRead(column) ? () => false : plainTestOf(column.type)))
  const isOneLineEnd = hasOneLineEnd(bytes)
  const output = createOutput(bytes)
  const separator = delimiter.charCodeAt(0)
  const ends = cellEnds(separator)
  let column = 0
  let line = 0
  let at = 0
  while (at < bytes.length) {
    const end = cellEnd(bytes, at, ends)
    const isPlain = line === 0 && hasHeader ? null : (tests[column] ?? null)
    if (end > at && isPlain?.(bytes, at, end) === false) {
      const { type, reading } = columns[column] ?? { type: null }
      const text = cellText(bytes, at, end)
      const isLeftEmpty = reading?.misfits === 'empty' && typedCell(text, type ?? 'VARCHAR', reading) === undefined
      const read = isLeftEmpty ? null : readText(text, type ?? 'VARCHAR', reading)
      if (read !== text) output.replace({ from: at, to: end, text: read === null ? '' : csvCell(read, delimiter) })
    }
    if (bytes[end] === separator && end < bytes.length) {
      column += 1
      at = end + 1
      continue
    }
    at = end + lineEndSize(bytes, end)
    if (!isOneLineEnd && bytes[end] === cr) output.replace({ from: end, to: at, text: '\n' })
    column = 0
    line += 1
  }
  return output.bytes()
}

const csvCell = (text: string, delimiter: string): string =>
  text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

interface Change {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** A copy of the bytes from the first change on. */
function createOutput(bytes: Uint8Array) {
  const encoder = new TextEncoder()
  let copy: Uint8Array<ArrayBuffer> | null = null
  let length = 0
  let taken = 0
  const append = (piece: Uint8Array) => {
    if (copy === null || length + piece.length > copy.length) {
      const larger = new Uint8Array(Math.ceil((length + piece.length) * 1.2) + bytes.length - taken)
      if (copy !== null) larger.set(copy.subarray(0, length))
      copy = larger
    }
    copy.set(piece, length)
    length += piece.length
  }
  return {
    replace({ from, to, text }: Change) {
      append(bytes.subarray(taken, from))
      append(encoder.encode(text))
      taken = to
    },
    bytes(): Uint8Array {
      if (copy === null) return bytes
      append(bytes.subarray(taken))
      return copy.subarray(0, length)
    },
  }
}
