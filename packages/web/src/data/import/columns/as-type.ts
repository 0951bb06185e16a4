// Converts a value of a file to the type of its column.
import type { Cell } from '../../domain/cells.ts'
import type { ColumnReading } from '../../domain/import-plan.ts'
import { isIsoDay } from './iso-day.ts'
import { padHour, readText } from './read-text.ts'

/** `undefined` if the value does not fit and its row is rejected. Dates and timestamps are text in SQL format. */
export function asType(value: Cell, type: string, reading: ColumnReading | undefined): Cell | undefined {
  const typed = typedCell(value, type, reading)
  return typed === undefined && reading?.misfits === 'empty' ? null : typed
}

/** `undefined` if the value does not fit the type. */
export function typedCell(value: Cell, type: string, reading: ColumnReading | undefined): Cell | undefined {
  if (value === null) return null
  if (type === 'VARCHAR') return String(value)
  const text = readText(String(value), type, reading)
  if (text === null) return null
  switch (type) {
    case 'BIGINT':
      return asWhole(value, text)
    case 'DOUBLE':
      return typeof value === 'boolean' ? undefined : asNumber(text)
    case 'BOOLEAN':
      return asYesNo(text)
    case 'DATE':
      return asDay(text)
    case 'TIMESTAMP':
      return asMoment(text)
    case 'TIME':
      return /^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$/.test(text) ? text : undefined
    default:
      return undefined
  }
}

export const plainNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

function asNumber(text: string): number | undefined {
  if (plainNumber.test(text)) return Number(text)
  const word = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(text)
  if (word === null) return undefined
  return word[2] === undefined ? Number.NaN : word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

function asWhole(value: Cell, text: string): Cell | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  if (typeof value === 'boolean' || !plainNumber.test(text)) return undefined
  // 5.0 and 1e3 are whole numbers.
  if (!/^[+-]?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : undefined
  const whole = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, whole) === whole ? whole : undefined
}

function asYesNo(text: string): boolean | undefined {
  if (/^(true|yes|t|y|1)$/i.test(text)) return true
  return /^(false|no|f|n|0)$/i.test(text) ? false : undefined
}

function asDay(text: string): string | undefined {
  const [date, time] = dayAndTime(text)
  return date !== null && (time === null || /^00:00/.test(time)) ? date : undefined
}

function asMoment(text: string): string | undefined {
  const [date, time] = dayAndTime(text)
  if (date === null) return undefined
  return time === null ? date : `${date} ${time}`
}

/** In SQL format, even from 2026/1/5. The date is `null` if it does not exist. */
function dayAndTime(text: string): readonly [date: string | null, time: string | null] {
  const found =
    /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[T ]((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?) ?(?:Z|UTC)?)?$/i.exec(
      text,
    )
  const [, year = '', , month = '', day = '', time] = found ?? []
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!isIsoDay(date)) return [null, null]
  return [date, time === undefined ? null : padHour(time)]
}
