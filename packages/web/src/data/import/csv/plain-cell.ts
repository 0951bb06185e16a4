// Cells that DuckDB takes as they are, by their bytes alone. Of some types it takes more than it keeps: it rounds a
// fraction in a whole number, drops what stands behind a day or around a time, and the offset behind a moment.
import { quote } from './csv-bytes.ts'

/** Not in every case where it could say yes: in doubt the cell is read. Bytes from `start` up to `end`, quotes included. */
export type PlainTest = (bytes: Uint8Array, start: number, end: number) => boolean

/** `null` where there is nothing to look at. */
export const plainTestOf = (type: string | null): PlainTest | null => tests[type ?? ''] ?? null

const plus = 43
const minus = 45
const point = 46

const inQuotes =
  (test: PlainTest): PlainTest =>
  (bytes, start, end) =>
    end - start > 1 && bytes[start] === quote && bytes[end - 1] === quote
      ? test(bytes, start + 1, end - 1)
      : test(bytes, start, end)

const areDigits: PlainTest = (bytes, start, end) => {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 48 || byte > 57) return false
  }
  return true
}

const tests: Readonly<Record<string, PlainTest>> = {
  BIGINT: inQuotes((bytes, start, end) => areDigits(bytes, bytes[start] === minus ? start + 1 : start, end)),
  DATE: inQuotes(
    (bytes, start, end) =>
      start === end ||
      (end - start === 10 &&
        areDigits(bytes, start, start + 4) &&
        bytes[start + 4] === minus &&
        areDigits(bytes, start + 5, start + 7) &&
        bytes[start + 7] === minus &&
        areDigits(bytes, start + 8, end)),
  ),
  TIME: inQuotes((bytes, start, end) => {
    // Digits, points and the colon that follows the digits.
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] ?? 0
      if (byte !== point && (byte < 48 || byte > 58)) return false
    }
    return true
  }),
  // A plus or minus after the date is an offset; text that does not begin with a year needs `readText`.
  TIMESTAMP: inQuotes((bytes, start, end) => {
    if (start === end) return true
    if (end - start < 10 || !areDigits(bytes, start, start + 4)) return false
    for (let at = start + 11; at < end; at += 1) if (bytes[at] === plus || bytes[at] === minus) return false
    return true
  }),
}
