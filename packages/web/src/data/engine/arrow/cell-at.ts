// Converts a value of an Arrow vector to a cell.
import { type Data, DataType, type MapRow, type Vector } from 'apache-arrow'
import type { Cell } from '../../domain/cells.ts'
import { dayText, momentText, timeText } from './iso-text.ts'

export function cellAt(vector: Vector, row: number): Cell {
  if (!vector.isValid(row)) return null
  const { type } = vector
  if (DataType.isDecimal(type)) return fromDecimal(rawAt(vector, row, 4), type.scale)
  if (DataType.isTimestamp(type)) {
    const [count] = rawAt(vector, row, 1)
    const text = momentText(inMicroseconds(BigInt(count ?? 0), type.unit))
    return type.timezone === null || type.timezone === undefined || text.endsWith('infinity') ? text : `${text}Z`
  }
  if (DataType.isDate(type)) return dayText(Number(rawAt(vector, row, 1)[0]))
  if (DataType.isTime(type)) return timeText(inMicroseconds(BigInt(rawAt(vector, row, 1)[0] ?? 0), type.unit))
  const value: unknown = vector.get(row)
  if (typeof value === 'bigint') return exact(value)
  if (typeof value === 'number') return DataType.isFloat(type) && type.precision === 1 ? single(value) : value
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return bytesText(value)
  return isNested(type) ? nestedText(vector, row) : String(value)
}

const isNested = (type: DataType): boolean =>
  DataType.isStruct(type) || DataType.isMap(type) || DataType.isList(type) || DataType.isFixedSizeList(type)

/** A number if it is exact, otherwise a bigint. */
export const exact = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value

/** Reads the raw counts, because Arrow converts them to inexact numbers. */
function rawAt(vector: Vector, row: number, width: number): readonly (number | bigint)[] {
  let at = row
  for (const data of vector.data as readonly Data[]) {
    if (at < data.length)
      return Array.from(data.values.subarray(at * width, (at + 1) * width) as ArrayLike<number | bigint>)
    at -= data.length
  }
  return []
}

/** Arrow's `TimeUnit`: seconds, milliseconds, microseconds, nanoseconds. */
function inMicroseconds(count: bigint, unit: number): bigint {
  if (unit === 3) return count / 1000n
  return count * (unit === 0 ? 1_000_000n : unit === 1 ? 1000n : 1n)
}

function fromDecimal(words: readonly (number | bigint)[], scale: number): number | bigint {
  const unsigned = words.reduceRight<bigint>((sum, word) => (sum << 32n) | BigInt(word), 0n)
  const value = BigInt.asIntN(128, unsigned)
  if (scale === 0) return exact(value)
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  return Number(`${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`)
}

/** 1.1 as a 32-bit float is 1.100000023841858 as a double. Shows the shortest text for the same 32-bit float. */
function single(value: number): number {
  if (!Number.isFinite(value)) return value
  for (let digits = 6; digits <= 9; digits += 1) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

const bytesText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) =>
    byte >= 32 && byte < 127 && byte !== 92
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`,
  ).join('')

/** As JSON; integers keep all digits. */
function nestedText(vector: Vector, row: number): string {
  const { type } = vector
  if (DataType.isStruct(type)) {
    const parts = type.children.map(({ name }, at) => {
      const child = vector.getChildAt(at)
      return `${JSON.stringify(name)}:${child === null ? 'null' : jsonAt(child, row)}`
    })
    return `{${parts.join(',')}}`
  }
  if (DataType.isMap(type)) {
    const entries = [...((vector.get(row) as MapRow | null) ?? [])] as readonly (readonly [unknown, unknown])[]
    return `{${entries.map(([key, value]) => `${JSON.stringify(String(key))}:${json(value)}`).join(',')}}`
  }
  const items = vector.get(row) as Vector | null
  return items === null ? 'null' : `[${Array.from({ length: items.length }, (_, at) => jsonAt(items, at)).join(',')}]`
}

function jsonAt(vector: Vector, row: number): string {
  if (!vector.isValid(row)) return 'null'
  return isNested(vector.type) ? nestedText(vector, row) : json(cellAt(vector, row))
}

const json = (value: unknown): string =>
  typeof value === 'bigint'
    ? String(value)
    : (JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? exact(part).toString() : part)) ?? 'null')
