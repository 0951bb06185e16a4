// Detects the type of a text column from its values. If unclear, it stays text, which loses nothing.
import { guessMostly } from './guess-mostly.ts'
import { isIsoDay, isOtherDay } from './iso-day.ts'
import {
  commaNumber,
  dayFirstOrMonthFirst,
  isoTimestamp,
  likelyMoment,
  percentSign,
  pointNumber,
  readText,
} from './read-text.ts'
import { ambiguousDates, ambiguousNumbers, blankWords, type InspectedColumn, type TypeGuess } from './type-guess.ts'

const text: TypeGuess = { type: 'VARCHAR' }

export function guessType(values: readonly string[], inspected: InspectedColumn = 'all'): TypeGuess {
  const plain = plainType(values)
  if (plain === 'VARCHAR') return guessMostly(values, inspected) ?? text
  return plain === null ? guessByPatterns(values, inspected) : { type: plain }
}

/** The slow way with patterns. Also the reference in tests of the fast check. */
export function guessByPatterns(values: readonly string[], inspected: InspectedColumn = 'all'): TypeGuess {
  const filled = values.map((value) => value.trim()).filter((value) => value !== '')
  const real = filled.filter((value) => !blankWords.has(value))
  if (real.length === 0) return text
  const guess = guessers.reduce<TypeGuess | null>((found, guesser) => found ?? guesser(real), null)
  if (guess === null) return guessMostly(values, inspected) ?? text
  const blanks = [...new Set(filled.filter((value) => blankWords.has(value)))]
  if (guess.type === 'VARCHAR' || blanks.length === 0) return guess
  const quotedBlanks = blanks.map((word) => `"${word}"`).join(' or ')
  return { ...guess, reading: { ...guess.reading, blanks }, remark: `treats ${quotedBlanks} as empty` }
}

type Guesser = (values: readonly string[]) => TypeGuess | null

const guessers: readonly Guesser[] = [
  (values) => (values.every((value) => /^(true|false|yes|no)$/i.test(value)) ? { type: 'BOOLEAN' } : null),
  guessNumber,
  guessGroupedNumber,
  guessPercent,
  (values) => (values.every(isIsoDay) ? { type: 'DATE' } : null),
  guessNamedDate,
  guessTimestamp,
  (values) =>
    values.every((value) => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$/.test(value)) ? { type: 'TIME' } : null,
  guessOtherDate,
]

function guessNumber(values: readonly string[]): TypeGuess | null {
  // Article numbers, postal codes and phone numbers would lose leading zeros as numbers.
  if (values.some((value) => /^[+-]?0\d|^\+/.test(value))) return null
  if (values.every((value) => /^-?\d+$/.test(value))) {
    return values.every((value) => value.length < 19 || isLong(value))
      ? { type: 'BIGINT' }
      : { type: 'VARCHAR', remark: 'has whole numbers that are too long, so it stays text' }
  }
  return values.every((value) => /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(value)) ? { type: 'DOUBLE' } : null
}

const isLong = (value: string): boolean => BigInt.asIntN(64, BigInt(value)) === BigInt(value)

/** 1.234,56 and 1,234.56. Ambiguous numbers such as 1,234 stay text. */
function guessGroupedNumber(values: readonly string[]): TypeGuess | null {
  if (!values.some((value) => value.includes(',')) || values.some((value) => /^[+-]?0\d/.test(value))) return null
  const isComma = values.every((value) => commaNumber.test(value))
  const isPoint = values.every((value) => pointNumber.test(value))
  if (isComma && isPoint) return ambiguousNumbers
  if (!isComma && !isPoint) return null
  const hasDecimals = values.some((value) => (isComma ? /,\d+$/ : /\.\d+$/).test(value))
  return { type: hasDecimals ? 'DOUBLE' : 'BIGINT', reading: { decimals: isComma ? 'comma' : 'point' } }
}

/** 12.5 %, even mixed with numbers without the sign. */
function guessPercent(values: readonly string[]): TypeGuess | null {
  const signed = values.find((value) => percentSign.test(value))
  if (signed === undefined) return null
  const bare = values.map((value) => value.replace(percentSign, ''))
  const guess = guessNumber(bare) ?? guessGroupedNumber(bare)
  if (guess === null || guess.type === 'VARCHAR') return guess
  const remark = `has percentages: "${signed}" is read as ${readText(signed, guess.type, { ...guess.reading, percent: true })}`
  return { type: guess.type, reading: { ...guess.reading, percent: true }, remark }
}

/** 3 April 1996, Apr 1996 and 1996-04, even mixed with dates in SQL format. A month is read as its first day. */
function guessNamedDate(values: readonly string[]): TypeGuess | null {
  let [hasTime, month] = [false, '']
  for (const value of values) {
    const moment = isIsoDay(value) ? value : likelyMoment(value)
    if (moment === null || !isIsoDay(moment.slice(0, 10))) return null
    hasTime ||= moment.length > 10
    if (!/\d.*[a-z].*\d|[a-z].*\d.*\d{4}|-.*-/i.test(value)) month ||= value
  }
  const type = hasTime ? 'TIMESTAMP' : 'DATE'
  if (month === '') return { type }
  return { type, remark: `has months without a day: "${month}" is read as ${likelyMoment(month)}` }
}

function guessTimestamp(values: readonly string[]): TypeGuess | null {
  let isMoved = false
  for (const value of values) {
    const found = isoTimestamp.exec(value)
    if (!isIsoDay(found?.[1] ?? value)) return null
    isMoved ||= /^[+-]/.test(found?.[3] ?? '')
  }
  return isMoved
    ? { type: 'TIMESTAMP', remark: 'has times with offsets, which are converted to UTC' }
    : { type: 'TIMESTAMP' }
}

function guessOtherDate(values: readonly string[]): TypeGuess | null {
  const found = values.map((value) => dayFirstOrMonthFirst.exec(value))
  if (!found.every((one) => one !== null)) return null
  const isDayFirst = found.every((one) => isOtherDay(one, 'day-first'))
  const isMonthFirst = found.every((one) => isOtherDay(one, 'month-first'))
  if (!isDayFirst && !isMonthFirst) return null
  // Dates with points always have the day first.
  const isPointed = found.every((one) => one[2] === '.')
  if (isDayFirst && isMonthFirst && !isPointed) return ambiguousDates
  const type = found.some((one) => one[5] !== undefined) ? 'TIMESTAMP' : 'DATE'
  return { type, reading: { dates: isDayFirst ? 'day-first' : 'month-first' } }
}

type PlainType = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'DATE' | 'TIMESTAMP'

/**
 * A fast check for columns that are clearly of one type. Most are, and regular expressions on tens of thousands of
 * values would take most of the time of an import review. Returns the same result as the patterns of `guessType`, or
 * `null` if only these can decide.
 */
function plainType(values: readonly string[]): PlainType | null {
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
