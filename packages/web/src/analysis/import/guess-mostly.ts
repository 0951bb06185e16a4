// What most values of a column of text are, where some fit no type: one bad day shall not cost a file its dates.
import type { ColumnReading } from '../import-plan.ts'
import { isDay, isIsoDay } from './iso-day.ts'
import { commaNumber, dayFirstOrMonthFirst, isoTimestamp, pointNumber } from './read-text.ts'
import { blankWords, type LookedAt, type TypeGuess } from './type-guess.ts'

/** From here on a column has the type of most of its values, and the rows of the others are rejected. */
const mostShare = 0.9
/** One bad value of three tells nothing. */
const fewestValues = 10

/**
 * A type that nearly all values fit, or text with the reason. The reading is there in both cases: a person may choose
 * the type all the same. `null` where there is nothing to say.
 */
export function guessMostly(values: readonly string[], lookedAt: LookedAt): TypeGuess | null {
  if (!spread(values).some((value) => /^[+-]?[.\d]/.test(value.trim()))) return null
  const filled = values.map((value) => value.trim()).filter((value) => value !== '')
  const real = filled.filter((value) => !blankWords.has(value))
  const most = mostlyDates(real) ?? mostlyNumbers(real)
  if (most === null || 'remark' in most) return most
  const blanks = [...new Set(filled.filter((value) => blankWords.has(value)))]
  return decide(most, { real, blanks, lookedAt })
}

/** Some of all of it: most columns of text are told by them. */
function spread(values: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(values.length / 100))
  return values.filter((_, index) => index % step === 0)
}

interface Most {
  readonly type: TypeGuess['type']
  readonly word: string
  readonly reading: ColumnReading
  readonly isFit: (value: string) => boolean
  /** Of plain numbers among words text is the better guess: codes look so. */
  readonly isTextBetter?: boolean
}

interface Values {
  readonly real: readonly string[]
  readonly blanks: readonly string[]
  readonly lookedAt: LookedAt
}

function decide({ type, word, reading, isFit, isTextBetter }: Most, { real, blanks, lookedAt }: Values) {
  const odd = real.filter((value) => !isFit(value))
  const share = 1 - odd.length / real.length
  const all = real.length.toLocaleString('en')
  const isAll = lookedAt === 'all'
  const counts = `${odd.length.toLocaleString('en')} of ${isAll ? `${all} values` : `the ${all} values looked at`}`
  const isOne = odd.length === 1
  const example = `"${(odd[0] ?? '').slice(0, 40)}"`
  if (share >= mostShare && real.length >= fewestValues && !isTextBetter) {
    const rows = isAll ? (isOne ? 'its row' : 'their rows') : 'such rows'
    const fate = `${isOne ? 'does' : 'do'} not fit (${example}), and ${rows} will be rejected`
    const remark = `is read as a ${word}: ${counts} ${fate}`
    const found = { ...reading, ...(blanks.length > 0 && { blanks }) }
    return { type, remark, ...(Object.keys(found).length > 0 && { reading: found }) } satisfies TypeGuess
  }
  const kept = Object.keys(reading).length > 0 ? { reading } : {}
  if (share < (isTextBetter ? mostShare : 0.5)) return { type: 'VARCHAR', ...kept } satisfies TypeGuess
  const remark = `stays text: ${counts} ${isOne ? `is no ${word}` : `are no ${word}s`} (${example})`
  return { type: 'VARCHAR', remark, ...kept } satisfies TypeGuess
}

type Found = Most | (TypeGuess & { readonly remark: string }) | null

function mostlyDates(values: readonly string[]): Found {
  const seen = { iso: 0, dayOnly: 0, monthOnly: 0, both: 0 }
  let [isPointed, hasTime] = [true, false]
  for (const value of values) {
    const found = dayFirstOrMonthFirst.exec(value)
    if (found === null) {
      if (!isIsoMoment(value)) continue
      seen.iso += 1
      hasTime ||= value.length > 10
      continue
    }
    const [isDayFirst, isMonthFirst] = [isOtherDay(value, 'day-first'), isOtherDay(value, 'month-first')]
    if (!isDayFirst && !isMonthFirst) continue
    seen[isDayFirst && isMonthFirst ? 'both' : isDayFirst ? 'dayOnly' : 'monthOnly'] += 1
    isPointed &&= found[2] === '.'
    hasTime ||= found[5] !== undefined
  }
  const other = seen.dayOnly + seen.monthOnly + seen.both
  if (seen.iso === 0 && other === 0) return null
  const type = hasTime ? 'TIMESTAMP' : 'DATE'
  if (seen.iso >= other) return { type, word: 'date', reading: {}, isFit: isIsoMoment }
  const dates = isPointed ? 'day-first' : orderOf(seen)
  if (dates !== null) return { type, word: 'date', reading: { dates }, isFit: (value) => isOtherDay(value, dates) }
  if (other < values.length / 2) return null
  return seen.dayOnly > 0
    ? { type: 'VARCHAR', remark: 'stays text: it has dates with the day first and with the month first' }
    : { type: 'VARCHAR', remark: 'has dates such as 03/04/2026 that may mean two things, so it stays text' }
}

const isIsoMoment = (value: string): boolean => isIsoDay(isoTimestamp.exec(value)?.[1] ?? value)

function isOtherDay(value: string, dates: NonNullable<ColumnReading['dates']>): boolean {
  const found = dayFirstOrMonthFirst.exec(value)
  if (found === null) return false
  const [day, month] = dates === 'day-first' ? [found[1], found[3]] : [found[3], found[1]]
  return isDay(Number(found[4]), Number(month), Number(day))
}

/** By the days after the 12th: they fit one order only. */
function orderOf({ dayOnly, monthOnly }: { readonly dayOnly: number; readonly monthOnly: number }) {
  const told = dayOnly + monthOnly
  if (told === 0) return null
  if (dayOnly >= told * mostShare) return 'day-first'
  return monthOnly >= told * mostShare ? 'month-first' : null
}

function mostlyNumbers(values: readonly string[]): Found {
  // An article number, a postal code or a phone number.
  if (values.some((value) => /^[+-]?0\d|^\+/.test(value))) return null
  const seen = { comma: 0, point: 0, both: 0, hasComma: false }
  for (const value of values) {
    const [isComma, isPoint] = [commaNumber.test(value), pointNumber.test(value)]
    if (!isComma && !isPoint) continue
    seen[isComma && isPoint ? 'both' : isComma ? 'comma' : 'point'] += 1
    seen.hasComma ||= value.includes(',')
  }
  if (seen.comma + seen.point + seen.both === 0) return null
  if (!seen.hasComma) {
    return {
      type: 'DOUBLE',
      word: 'number',
      reading: {},
      isFit: (value) => pointNumber.test(value),
      isTextBetter: true,
    }
  }
  const told = seen.comma + seen.point
  const isComma = seen.comma >= told * mostShare
  if (told === 0 || (!isComma && seen.point < told * mostShare)) return null
  const pattern = isComma ? commaNumber : pointNumber
  const isFit = (value: string) => pattern.test(value)
  const hasDecimals = values.some((value) => isFit(value) && (isComma ? /,\d+$/ : /\.\d+$/).test(value))
  const type = hasDecimals ? 'DOUBLE' : 'BIGINT'
  return { type, word: 'number', reading: { decimals: isComma ? 'comma' : 'point' }, isFit }
}
