import type { ColumnReading } from '../../domain/import-plan.ts'
import { isDay, isIsoDay } from './iso-day.ts'
import { type MajorityType, mostShare, textBecause, twoWays } from './majority.ts'
import { dayFirstOrMonthFirst, isoTimestamp, likelyMoment } from './read-text.ts'
import { ambiguousDates } from './type-guess.ts'

export function mostlyDates(values: readonly string[]): MajorityType {
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
    const [isDayFirst, isMonthFirst] = [isOtherDay(value, 'day-first'), isOtherDay(value, 'month-first')]
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

function isOtherDay(value: string, dates: NonNullable<ColumnReading['dates']>): boolean {
  const found = dayFirstOrMonthFirst.exec(value)
  if (found === null) return false
  const [day, month] = dates === 'day-first' ? [found[1], found[3]] : [found[3], found[1]]
  return isDay(Number(found[4]), Number(month), Number(day))
}

/** Decides by days after the 12th, which fit only one order. */
function orderOf({ dayOnly, monthOnly }: { readonly dayOnly: number; readonly monthOnly: number }) {
  const decided = dayOnly + monthOnly
  if (decided === 0) return null
  if (dayOnly >= decided * mostShare) return 'day-first'
  return monthOnly >= decided * mostShare ? 'month-first' : null
}
