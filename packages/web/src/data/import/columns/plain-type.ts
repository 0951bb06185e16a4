// The type of a column that is plainly of one, letter by letter. Most are, and patterns on tens of thousands of values
// are most of the time that looking at a file takes.
import { isIsoDay } from './iso-day.ts'

type PlainType = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'DATE' | 'TIMESTAMP'

/** What `guessType` finds by patterns, or `null` where only they can tell. */
export function plainType(values: readonly string[]): PlainType | null {
  let type: PlainType | null = null
  for (const value of values) {
    if (value === '') continue
    const found = typeOf(value)
    // A word rules all other types out, wherever it stands.
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

/** Neither a number, a date nor a time begins so, and it is longer than every word for yes, no or no value. */
const isWord = (value: string): boolean =>
  /^[a-z]/i.test(value) && value.trim().length > 5 && !monthAndDigit.test(value)

/** `Apr 1996` may be a date, so it is not a plain word. */
const monthAndDigit = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[., /-]{0,2}\d/i

function numberType(value: string, start: number): PlainType | null {
  // 007 is none; a long one has to be looked at.
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

/** 2026-12-31, 2026-12-31 10:00 and 2026-12-31T10:00:00; what has more behind it is left to the patterns. */
function momentType(value: string): PlainType | null {
  if (value.length === 10) return isIsoDay(value) ? 'DATE' : null
  return isIsoDay(value.slice(0, 10)) && /^[T ]\d\d:\d\d(:\d\d)?$/.test(value.slice(10)) ? 'TIMESTAMP' : null
}
