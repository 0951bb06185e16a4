// A fast check for columns that are clearly of one type. Most are, and regular expressions on tens of thousands of
// values would take most of the time of an import review.
import { isIsoDay } from './iso-day.ts'

type PlainType = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'DATE' | 'TIMESTAMP'

/** The same result as the patterns of `guessType`, or `null` if only these can decide. */
export function plainType(values: readonly string[]): PlainType | null {
  let type: PlainType | null = null
  for (const value of values) {
    if (value === '') continue
    const found = typeOf(value)
    // A word rules out all other types, wherever it is.
    if (found === null || found === 'VARCHAR') return found
    if (type === null || type === found) type = found
    else if (isNumber(type) && isNumber(found)) type = 'DOUBLE'
    else return null
  }
  return type
}

const isNumber = (type: PlainType): boolean => type === 'BIGINT' || type === 'DOUBLE'

const [minus, point, zero, nine] = [45, 46, 48, 57]
const isDigit = (code: number): boolean => code >= zero && code <= nine

function typeOf(value: string): PlainType | null {
  const first = value.charCodeAt(0)
  if (isDigit(first) && value.charCodeAt(4) === minus) return momentType(value)
  if (isDigit(first) || first === minus) return numberType(value, first === minus ? 1 : 0)
  return isWord(value) ? 'VARCHAR' : null
}

/** Starts like no number, date or time, and is longer than all words for yes, no or no value. */
const isWord = (value: string): boolean =>
  /^[a-z]/i.test(value) && value.trim().length > 5 && !monthAndDigit.test(value)

/** `Apr 1996` may be a date, so it is not a plain word. */
const monthAndDigit = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[., /-]{0,2}\d/i

function numberType(value: string, start: number): PlainType | null {
  // 007 is not a number; long numbers need a closer look.
  const isLeadingZero = value.charCodeAt(start) === zero && isDigit(value.charCodeAt(start + 1))
  if (isLeadingZero || value.length > 18 || !isDigit(value.charCodeAt(start))) return null
  let points = 0
  for (let at = start; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    if (code === point) points += 1
    else if (!isDigit(code)) return null
  }
  return points === 0 ? 'BIGINT' : points === 1 ? 'DOUBLE' : null
}

/** 2026-12-31, 2026-12-31 10:00 and 2026-12-31T10:00:00; longer texts are left to the patterns. */
function momentType(value: string): PlainType | null {
  if (value.length === 10) return isIsoDay(value) ? 'DATE' : null
  return isIsoDay(value.slice(0, 10)) && /^[T ]\d\d:\d\d(:\d\d)?$/.test(value.slice(10)) ? 'TIMESTAMP' : null
}
