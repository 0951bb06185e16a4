// A CSV made ready for DuckDB, byte by byte: one kind of line end, dates and numbers as SQL writes them, and what SQL
// would quietly round or shift made plain. Lines stay where they are, so what DuckDB rejects is found in the file.
import type { PlannedColumn } from '../import-plan.ts'
import { readText } from './read-text.ts'

export interface CsvToPrepare {
  /** UTF-8, without a mark. */
  readonly bytes: Uint8Array
  readonly delimiter: string
  readonly hasHeader: boolean
  readonly columns: readonly Pick<PlannedColumn, 'type' | 'reading'>[]
}

const cr = 13
const lf = 10
const quote = 34

/** The same bytes where nothing has to change, as in most files. */
export function prepareCsv({ bytes, delimiter, hasHeader, columns }: CsvToPrepare): Uint8Array {
  const checks = columns.map(({ type, reading }) => checkFor(type, reading !== undefined))
  const isOneLineEnd = hasOneLineEnd(bytes)
  if (isOneLineEnd && checks.every((check) => check === null)) return bytes
  const output = createOutput(bytes)
  const separator = delimiter.charCodeAt(0)
  let column = 0
  let line = 0
  let at = 0
  while (at < bytes.length) {
    const end = cellEnd(bytes, at, separator)
    const check = line === 0 && hasHeader ? null : (checks[column] ?? null)
    if (check?.(bytes, at, end)) {
      const { type, reading } = columns[column] ?? { type: null }
      const text = cellText(bytes, at, end)
      const read = readText(text, type ?? 'VARCHAR', reading)
      if (read !== text) output.replace({ from: at, to: end, text: read === null ? '' : csvCell(read, delimiter) })
    }
    if (bytes[end] === separator && end < bytes.length) {
      column += 1
      at = end + 1
      continue
    }
    const isCrLf = bytes[end] === cr && bytes[end + 1] === lf
    if (!isOneLineEnd && bytes[end] === cr) output.replace({ from: end, to: end + (isCrLf ? 2 : 1), text: '\n' })
    at = end + (isCrLf ? 2 : 1)
    column = 0
    line += 1
  }
  return output.bytes()
}

/** Whether a cell has to be read at all: most of them need not. */
type Check = (bytes: Uint8Array, start: number, end: number) => boolean

function checkFor(type: string | null, isRead: boolean): Check | null {
  if (type === null || type === 'VARCHAR') return null
  if (isRead) return () => true
  if (type === 'BIGINT') return hasOtherThanDigits
  if (type === 'DATE') return (_, start, end) => end - start !== 10
  return type === 'TIMESTAMP' ? hasOffset : null
}

function hasOtherThanDigits(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = bytes[start] === 45 ? start + 1 : start; at < end; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 48 || byte > 57) return true
  }
  return false
}

/** A plus or minus behind the date. */
function hasOffset(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start + 11; at < end; at += 1) if (bytes[at] === 43 || bytes[at] === 45) return true
  return false
}

function cellEnd(bytes: Uint8Array, start: number, separator: number): number {
  let at = start
  if (bytes[at] === quote) at = afterQuotes(bytes, at)
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === separator || byte === lf || byte === cr) return at
    at += 1
  }
  return bytes.length
}

function afterQuotes(bytes: Uint8Array, start: number): number {
  let at = start + 1
  for (;;) {
    const end = bytes.indexOf(quote, at)
    if (end < 0) return bytes.length
    if (bytes[end + 1] !== quote) return end + 1
    at = end + 2
  }
}

function cellText(bytes: Uint8Array, start: number, end: number): string {
  const text = new TextDecoder().decode(bytes.subarray(start, end))
  return text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1).replaceAll('""', '"') : text
}

const csvCell = (text: string, delimiter: string): string =>
  text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

function hasOneLineEnd(bytes: Uint8Array): boolean {
  let returns = 0
  for (let at = bytes.indexOf(cr); at >= 0; at = bytes.indexOf(cr, at + 1)) {
    if (bytes[at + 1] !== lf) return false
    returns += 1
  }
  if (returns === 0) return true
  let feeds = 0
  for (let at = bytes.indexOf(lf); at >= 0; at = bytes.indexOf(lf, at + 1)) feeds += 1
  return feeds === returns
}

interface Change {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** A copy of the bytes that begins with the first change. */
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
