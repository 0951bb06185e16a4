// Decides from bytes alone whether DuckDB reads a cell without loss. For some types DuckDB drops data: it rounds
// fractions in whole numbers, and drops text after a date, around a time, and offsets.
import { quote } from './csv-bytes.ts'

/** May return false for a readable cell, which is then decoded. `start` to `end` includes quotes. */
export type PlainTest = (bytes: Uint8Array, start: number, end: number) => boolean

/** `null` if there is nothing to check. */
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
  // A plus or minus after the date is an offset. Text that does not start with a year needs `readText`.
  TIMESTAMP: inQuotes((bytes, start, end) => {
    if (start === end) return true
    if (end - start < 10 || !areDigits(bytes, start, start + 4)) return false
    for (let at = start + 11; at < end; at += 1) if (bytes[at] === plus || bytes[at] === minus) return false
    return true
  }),
}
