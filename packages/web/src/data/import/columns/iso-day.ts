// Whether a date exists in the calendar.
import type { ColumnReading } from '../../domain/import-plan.ts'

/** Whether the text is a date like 2026-12-31 that exists. */
export function isIsoDay(value: string): boolean {
  if (value.length !== 10 || value.charCodeAt(4) !== minus || value.charCodeAt(7) !== minus) return false
  const [year, month, date] = [numberAt(value, 0, 4), numberAt(value, 5, 7), numberAt(value, 8, 10)]
  return year >= 0 && month >= 0 && date >= 0 && isDay(year, month, date)
}

/** Whether a match of `dayFirstOrMonthFirst` is an existing day in this order. */
export function isOtherDay(found: RegExpExecArray, dates: NonNullable<ColumnReading['dates']>): boolean {
  const [day, month] = dates === 'day-first' ? [found[1], found[3]] : [found[3], found[1]]
  return isDay(Number(found[4]), Number(month), Number(day))
}

function isDay(year: number, month: number, date: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeap ? 29 : (monthDays[month - 1] ?? 0)
  return date >= 1 && date <= days
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const minus = 45

/** -1 if there is anything but digits. */
function numberAt(value: string, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at += 1) {
    const digit = value.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return -1
    number = number * 10 + digit
  }
  return number
}
