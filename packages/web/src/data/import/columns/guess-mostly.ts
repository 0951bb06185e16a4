// Detects the type of most values, so that one bad date does not turn the whole column into text.
import { formatCount } from '@quarterdeck/protocol'
import type { ColumnReading } from '../../domain/import-plan.ts'
import { asType, plainNumber } from './as-type.ts'
import { isIsoDay, isOtherDay } from './iso-day.ts'
import { commaNumber, dayFirstOrMonthFirst, isoTimestamp, likelyMoment, percentSign, pointNumber } from './read-text.ts'
import { ambiguousDates, ambiguousNumbers, blankWords, type InspectedColumn, type TypeGuess } from './type-guess.ts'

/** One misfit among three values is not enough to decide. */
const fewestValues = 10

/**
 * A type that nearly all values fit, or text with the reason. Both include a reading, because the user may still choose
 * the type. `null` if there is nothing to report.
 */
export function guessMostly(values: readonly string[], inspected: InspectedColumn): TypeGuess | null {
  if (!spread(values).some((value) => /^[+-]?[.\d]|^[a-z]{3,9}\.?,?[ /-]?\d/i.test(value.trim()))) return null
  const filled = values.map((value) => value.trim()).filter((value) => value !== '')
  const real = filled.filter((value) => !blankWords.has(value))
  const most = mostOf(real)
  if (most === null || 'remark' in most) return most
  const blanks = [...new Set(filled.filter((value) => blankWords.has(value)))]
  return decide(most, { real, blanks, inspected })
}

/** A single date among numbers does not make a column of dates. */
function mostOf(values: readonly string[]): MajorityType {
  const dates = mostlyDates(values)
  if (dates !== null && ('remark' in dates || dates.count >= values.length / 2)) return dates
  return mostlyNumbers(values) ?? dates
}

/** Checks some values first, which is enough for most text columns. */
function spread(values: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(values.length / 100))
  return values.filter((_, index) => index % step === 0)
}

interface Values {
  readonly real: readonly string[]
  readonly blanks: readonly string[]
  readonly inspected: InspectedColumn
}

function decide(most: Most, { real, blanks, inspected }: Values): TypeGuess {
  const { type, word, reading, ways, isTextBetter } = most
  const odd = real.filter((value) => asType(value, type, reading) === undefined)
  const share = 1 - odd.length / real.length
  const misfits = misfitsIn(odd, { real, inspected })
  if (!isTextBetter && (share === 1 || (share >= mostShare && real.length >= fewestValues))) {
    const reasons = [...(ways === undefined ? [] : [ways]), ...(odd.length > 0 ? [misfits.reason] : [])]
    const found = { ...reading, ...(blanks.length > 0 && { blanks }) }
    return {
      type,
      ...(reasons.length > 0 && { remark: `is read as a ${word}: ${reasons.join('; ')}` }),
      ...(Object.keys(found).length > 0 && { reading: found }),
    }
  }
  const partial = Object.keys(reading).length > 0 ? { reading } : {}
  // If the two notations cannot be read together, the rarer one counts as misfits.
  if (ways !== undefined && Object.keys(reading).length === 0 && most.count >= real.length / 2) return textBecause(ways)
  if (share < 0.5) return { type: 'VARCHAR', ...partial }
  const none = odd.length === 1 ? `is not a ${word}` : `are not ${word}s`
  return { ...textBecause(`${misfits.counts} ${none} (${misfits.example})`), ...partial }
}

function misfitsIn(odd: readonly string[], { real, inspected }: Omit<Values, 'blanks'>) {
  const all = formatCount(real.length)
  const total = inspected === 'all' ? `${all} values` : `the ${all} values checked`
  const counts = `${formatCount(odd.length)} of ${total}`
  const example = quoted(odd[0])
  return { counts, example, reason: `${counts} ${odd.length === 1 ? 'does' : 'do'} not fit (${example})` }
}

function mostlyDates(values: readonly string[]): MajorityType {
  const seen = { iso: 0, dayOnly: 0, monthOnly: 0, both: 0 }
  const first = { iso: '', other: '' }
  let [isPointed, hasTime] = [true, false]
  for (const value of values) {
    const found = dayFirstOrMonthFirst.exec(value)
    if (found === null) {
      if (!isIsoMoment(value)) continue
      seen.iso += 1
      first.iso ||= value
      hasTime ||= (likelyMoment(value) ?? value).length > 10
      continue
    }
    const [isDayFirst, isMonthFirst] = [isOtherDay(found, 'day-first'), isOtherDay(found, 'month-first')]
    if (!isDayFirst && !isMonthFirst) continue
    seen[isDayFirst && isMonthFirst ? 'both' : isDayFirst ? 'dayOnly' : 'monthOnly'] += 1
    first.other ||= value
    isPointed &&= found[2] === '.'
    hasTime ||= found[5] !== undefined
  }
  const other = seen.dayOnly + seen.monthOnly + seen.both
  const count = seen.iso + other
  if (count === 0) return null
  const dates = other > 0 && isPointed ? 'day-first' : orderOf(seen)
  if (dates !== null || seen.iso >= other) {
    const ways = seen.iso > 0 && other > 0 ? { ways: twoWays('dates', [first.iso, first.other]) } : {}
    const type = hasTime ? 'TIMESTAMP' : 'DATE'
    return { type, word: 'date', reading: dates === null ? {} : { dates }, count, ...ways }
  }
  if (count < values.length / 2) return null
  return seen.dayOnly > 0 ? textBecause('it has dates with the day first and with the month first') : ambiguousDates
}

/** In SQL format or with a month name. */
const isIsoMoment = (value: string): boolean =>
  isIsoDay(isoTimestamp.exec(value)?.[1] ?? likelyMoment(value)?.slice(0, 10) ?? value)

/** Decides by days after the 12th, which fit only one order. */
function orderOf({ dayOnly, monthOnly }: { readonly dayOnly: number; readonly monthOnly: number }) {
  const decided = dayOnly + monthOnly
  if (decided === 0) return null
  if (dayOnly >= decided * mostShare) return 'day-first'
  return monthOnly >= decided * mostShare ? 'month-first' : null
}

function mostlyNumbers(given: readonly string[]): MajorityType {
  const hasPercent = given.some((value) => percentSign.test(value))
  const values = hasPercent ? given.map((value) => value.replace(percentSign, '')) : given
  const found = mostlyPlainNumbers(values)
  if (!hasPercent || found === null || 'remark' in found) return found
  return { ...found, reading: { ...found.reading, percent: true }, isTextBetter: false }
}

function mostlyPlainNumbers(values: readonly string[]): MajorityType {
  // Article numbers, postal codes or phone numbers. A date such as 01/02/2026 is only a misfit.
  if (values.some((value) => /^(\+|-?0\d)[\d.,]*$/.test(value))) return null
  const seen = { comma: 0, point: 0, both: 0, hasComma: false, hasDecimals: false }
  const first = { comma: '', point: '' }
  for (const value of values) {
    const [isComma, isPoint] = [commaNumber.test(value), pointNumber.test(value) || plainNumber.test(value)]
    if (!isComma && !isPoint) continue
    const way = isComma && isPoint ? 'both' : isComma ? 'comma' : 'point'
    seen[way] += 1
    if (way !== 'both') first[way] ||= value
    seen.hasComma ||= value.includes(',')
    seen.hasDecimals ||= value.includes('.')
  }
  const decided = seen.comma + seen.point
  const count = decided + seen.both
  if (count === 0) return null
  if (!seen.hasComma) {
    return { type: 'DOUBLE', word: 'number', reading: {}, count, isTextBetter: !seen.hasDecimals }
  }
  const ways = seen.comma > 0 && seen.point > 0 ? { ways: twoWays('numbers', [first.comma, first.point]) } : {}
  const isComma = seen.comma >= decided * mostShare
  if (decided === 0 || (!isComma && seen.point < decided * mostShare)) {
    if (count < values.length / 2) return null
    return ways.ways === undefined ? ambiguousNumbers : textBecause(ways.ways)
  }
  const pattern = isComma ? commaNumber : pointNumber
  const decimals = isComma ? /,\d+$/ : /\.\d+$/
  const type = values.some((value) => pattern.test(value) && decimals.test(value)) ? 'DOUBLE' : 'BIGINT'
  const reading = { decimals: isComma ? 'comma' : 'point' } as const
  return { type, word: 'number', reading, count, ...(isComma && ways) }
}

/** From this share on, a column has the type of most of its values, and rows with misfits are rejected. */
const mostShare = 0.9

interface Most {
  readonly type: TypeGuess['type']
  readonly word: string
  readonly reading: ColumnReading
  /** The number of values that look like it, in any notation. */
  readonly count: number
  /** If there are two notations, a text that says so. */
  readonly ways?: string
  /** Whole numbers among words are usually codes, so text is the better guess. */
  readonly isTextBetter?: boolean
}

/** Decided already if it has a remark. */
type MajorityType = Most | (TypeGuess & { readonly remark: string }) | null

const quoted = (value = ''): string => `"${value.slice(0, 40)}"`

const textBecause = (reason: string) =>
  ({ type: 'VARCHAR', remark: `stays text: ${reason}` }) as const satisfies TypeGuess

const twoWays = (noun: string, [one, other]: readonly [string, string]): string =>
  `its ${noun} have two notations (${quoted(one)} and ${quoted(other)})`
