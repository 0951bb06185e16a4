// One value of a file as the type of its column.
import type { Cell } from '../cells.ts'
import type { ColumnReading } from '../import-plan.ts'
import { isIsoDay } from './iso-day.ts'
import { isoTimestamp, readText } from './read-text.ts'

/** `undefined` where it cannot be. Days and moments are text as SQL writes it. */
export function asType(value: Cell, type: string, reading: ColumnReading | undefined): Cell | undefined {
  if (value === null) return null
  if (type === 'VARCHAR') return String(value)
  const text = readText(String(value), type, reading)
  if (text === null) return null
  switch (type) {
    case 'BIGINT':
      return asWhole(value, text)
    case 'DOUBLE':
      return typeof value === 'boolean' || !plainNumber.test(text) ? undefined : Number(text)
    case 'BOOLEAN':
      return asYesNo(text)
    case 'DATE':
      return asDay(text)
    case 'TIMESTAMP':
      return isIsoDay(text) || isIsoDay(isoTimestamp.exec(text)?.[1] ?? '') ? text : undefined
    case 'TIME':
      return /^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$/.test(text) ? text : undefined
    default:
      return undefined
  }
}

export const plainNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

function asWhole(value: Cell, text: string): Cell | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  if (typeof value === 'boolean' || !/^[+-]?\d+$/.test(text)) return undefined
  const whole = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, whole) === whole ? whole : undefined
}

function asYesNo(text: string): boolean | undefined {
  if (/^(true|yes|t|y|1)$/i.test(text)) return true
  return /^(false|no|f|n|0)$/i.test(text) ? false : undefined
}

function asDay(text: string): string | undefined {
  const found = isoTimestamp.exec(text)
  const date = found?.[1] ?? text
  return isIsoDay(date) && (found === null || /^00:00/.test(found[2] ?? '')) ? date : undefined
}
