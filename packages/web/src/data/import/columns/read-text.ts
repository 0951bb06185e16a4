// Converts text of a file to SQL notation. The only module that knows other notations of dates and numbers.
import type { ColumnReading } from '../../domain/import-plan.ts'

/**
 * Text that SQL accepts for that type, or `null` for no value. A value that SQL would accept but truncate is changed
 * into text that SQL rejects.
 */
export function readText(text: string, type: string, reading: ColumnReading = {}): string | null {
  const trimmed = text.trim()
  if (trimmed === '' || reading.blanks?.includes(trimmed)) return null
  switch (type) {
    case 'BIGINT':
      return wholeNumber(plainNumber(withoutPercent(trimmed, reading), reading.decimals))
    case 'DOUBLE':
      return plainNumber(withoutPercent(trimmed, reading), reading.decimals)
    case 'DATE':
      return day(isoMoment(trimmed, reading.dates))
    case 'TIMESTAMP':
      return inUtc(isoMoment(trimmed, reading.dates))
    case 'TIME':
      return timeOfDay(trimmed)
    default:
      return type === 'VARCHAR' ? text : trimmed
  }
}

export const percentSign = /(?<=\d)\s?%$/

const withoutPercent = (text: string, { percent }: ColumnReading): string =>
  percent === true ? text.replace(percentSign, '') : text

function plainNumber(text: string, decimals: ColumnReading['decimals']): string {
  if (decimals === undefined) return text
  const [group, point] = decimals === 'comma' ? ['.', ','] : [',', '.']
  const pattern = decimals === 'comma' ? commaNumber : pointNumber
  return pattern.test(text) ? text.replaceAll(group, '').replace(point, '.') : text
}

export const commaNumber = /^[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?$/
export const pointNumber = /^[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$/

/** SQL would round it. */
function wholeNumber(text: string): string {
  return /^[+-]?(\d*\.\d*[1-9]|\d.*e-?\d+$)/i.test(text) && !Number.isInteger(Number(text))
    ? `${text} (not a whole number)`
    : text
}

/** SQL drops text after a date, so the words that make it fail come first. */
function day(text: string): string {
  const rest = /^-?\d+([-/ \\])\d+\1\d+(?!\d)(.*)$/s.exec(text)?.[2] ?? ''
  return /^([T ]00:00(:00(\.0+)?)?Z?| \(BC\))?$/.test(rest) ? text : `more than a day: ${text}`
}

/** SQL drops text around a time: a date, an offset, PM. */
const timeOfDay = (text: string): string =>
  /\d:\d|^\d{4}[-/]/.test(text) && !/^\d{1,2}:\d{1,2}(:\d{1,2}(\.\d+)?)?$/.test(text)
    ? `more than a time: ${text}`
    : text

export const dayFirstOrMonthFirst =
  /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,?[ T](\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/

function isoMoment(text: string, dates: ColumnReading['dates']): string {
  const found = dates === undefined ? null : dayFirstOrMonthFirst.exec(text)
  if (found === null) return namedMoment(text) ?? text
  const [, first = '', , second = '', year = '', time] = found
  const [month, date] = dates === 'day-first' ? [second, first] : [first, second]
  return isoText([year, month, date], time)
}

function isoText([year, month, date]: readonly [string, string, string], time: string | undefined): string {
  const iso = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  return time === undefined ? iso : `${iso} ${padHour(time)}`
}

/** `9:05` becomes `09:05`. */
export const padHour = (time: string): string => (time.indexOf(':') === 1 ? `0${time}` : time)

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthName =
  '(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const dayNumber = '(?<date>\\d{1,2})(?:st|nd|rd|th|\\.)?'
const trailingTime = '(?:,?[ T](?<time>\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?))?'
const namedMoments = [
  `${dayNumber}[ /-]?${monthName},?[ /-]?(?<year>\\d{4})${trailingTime}`,
  `${monthName} ${dayNumber},? (?<year>\\d{4})${trailingTime}`,
  `${monthName},?[ /-]?(?<year>\\d{4})`,
  '(?<year>\\d{4})-(?<number>0[1-9]|1[0-2])',
].map((words) => new RegExp(`^${words}$`, 'i'))

/** Reads 3 April 1996, Apr 3, 1996, Apr 1996 and 1996-04; a month alone is its first day. `null` for other text. */
function namedMoment(text: string): string | null {
  // Most cells are not dates: this test is cheaper than the patterns.
  if (text.length > 50 || !/^\d{4}-\d\d$|[a-z]{3}/i.test(text)) return null
  for (const pattern of namedMoments) {
    const { month, number, date = '1', year = '', time } = pattern.exec(text)?.groups ?? {}
    if (month === undefined && number === undefined) continue
    const monthNumber = number ?? String(months.indexOf((month ?? '').slice(0, 3).toLowerCase()) + 1)
    return isoText([year, monthNumber, date], time)
  }
  return null
}

/** For columns of unknown type. Only years from 1500 to 2199 count: 1001-04 may be an article number. */
export function likelyMoment(text: string): string | null {
  const moment = namedMoment(text)
  return moment !== null && /^(1[5-9]|20|21)/.test(moment) ? moment : null
}

export const isoTimestamp =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?$/i

/** SQL's TIMESTAMP has no zone and would drop the offset. */
function inUtc(text: string): string {
  const found = isoTimestamp.exec(text)
  if (found === null) return text
  const [, date = '', time = '', zone = 'Z'] = found
  const minutes = /^[+-]/.test(zone) ? offsetMinutes(zone) : 0
  if (minutes === 0) return `${date} ${time}`
  const fraction = /\.\d+$/.exec(time)?.[0] ?? ''
  const whole = time.slice(0, time.length - fraction.length)
  const local = Date.parse(`${date}T${whole}Z`)
  if (Number.isNaN(local)) return text
  return new Date(local - minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ') + fraction
}

function offsetMinutes(zone: string): number {
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  return zone.startsWith('-') ? -minutes : minutes
}
