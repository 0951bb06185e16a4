// Builds the buffers of an Arrow column by hand, because Arrow's builders generate code, which the page's policy
// forbids.
import * as arrow from 'apache-arrow'
import type { Cell, CellColumn } from '../../domain/cells.ts'
import { daysOf, momentOf, timeOf } from './iso-text.ts'

/** Unusual types become text. */
export function toData(column: CellColumn): arrow.Data {
  const type = column.type.toUpperCase()
  const { length } = column.values
  const nulls = nullsOf(column.values)
  const given = { length, ...nulls }
  const fill = <Values extends { [at: number]: number | bigint }>(
    values: Values,
    toValue: (cell: NonNullCell) => Values[number] | null,
  ) => {
    for (const [at, cell] of column.values.entries()) {
      if (cell === null) continue
      values[at] = toValue(cell) ?? refuse(column, cell)
    }
    return values
  }
  if (/^(TINYINT|SMALLINT|INTEGER|INT|UTINYINT|USMALLINT)$/.test(type)) {
    return arrow.makeData({ ...given, type: new arrow.Int32(), data: fill(new Int32Array(length), small) })
  }
  if (type === 'BIGINT' || type === 'UINTEGER') {
    return arrow.makeData({ ...given, type: new arrow.Int64(), data: fill(new BigInt64Array(length), whole) })
  }
  if (type === 'UBIGINT') {
    return arrow.makeData({ ...given, type: new arrow.Uint64(), data: fill(new BigUint64Array(length), whole) })
  }
  if (type === 'HUGEINT' || type === 'UHUGEINT') return hugeData(column, given)
  if (/^(DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC)/.test(type)) {
    return arrow.makeData({ ...given, type: new arrow.Float64(), data: fill(new Float64Array(length), decimal) })
  }
  if (/^BOOL/.test(type)) {
    const bits = new Uint8Array(Math.ceil(length / 8))
    for (const [at, cell] of column.values.entries()) {
      if (cell !== null && typeof cell !== 'boolean') refuse(column, cell)
      if (cell === true) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
    }
    return arrow.makeData({ ...given, type: new arrow.Bool(), data: bits })
  }
  if (type === 'DATE') {
    return arrow.makeData({ ...given, type: new arrow.DateDay(), data: fill(new Int32Array(length), fromText(daysOf)) })
  }
  if (type.startsWith('TIMESTAMP')) {
    const zoned = /TZ|WITH TIME ZONE/.test(type) ? 'UTC' : null
    const data = fill(new BigInt64Array(length), fromText(momentOf))
    return arrow.makeData({ ...given, type: new arrow.TimestampMicrosecond(zoned), data })
  }
  if (type === 'TIME') {
    const data = fill(new BigInt64Array(length), fromText(timeOf))
    return arrow.makeData({ ...given, type: new arrow.TimeMicrosecond(), data })
  }
  return textData(column.values, given)
}

type NonNullCell = Exclude<Cell, null>
interface Nulls {
  readonly length: number
  readonly nullCount: number
  readonly nullBitmap: Uint8Array
}

function nullsOf(values: readonly Cell[]): Omit<Nulls, 'length'> {
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 8))
  let nullCount = 0
  for (const [at, cell] of values.entries()) {
    if (cell === null) nullCount += 1
    else nullBitmap[at >> 3] = (nullBitmap[at >> 3] ?? 0) | (1 << (at & 7))
  }
  return { nullCount, nullBitmap }
}

const small = (cell: NonNullCell): number | null =>
  typeof cell === 'number' && Number.isInteger(cell) && Math.abs(cell) < 2 ** 31 ? cell : null

function whole(cell: NonNullCell): bigint | null {
  if (typeof cell === 'bigint') return cell
  return typeof cell === 'number' && Number.isInteger(cell) ? BigInt(cell) : null
}

function decimal(cell: NonNullCell): number | null {
  return typeof cell === 'number' ? cell : typeof cell === 'bigint' ? Number(cell) : null
}

const fromText =
  <Count>(read: (text: string) => Count | null) =>
  (cell: NonNullCell): Count | null =>
    typeof cell === 'string' ? read(cell) : null

function hugeData(column: CellColumn, nulls: Nulls): arrow.Data {
  const words = new Uint32Array(nulls.length * 4)
  for (const [at, cell] of column.values.entries()) {
    if (cell === null) continue
    let rest = BigInt.asUintN(128, whole(cell) ?? refuse(column, cell))
    for (let word = 0; word < 4; word += 1) {
      words[at * 4 + word] = Number(rest & 0xffff_ffffn)
      rest >>= 32n
    }
  }
  return arrow.makeData({ ...nulls, type: new arrow.Decimal(0, 38), data: words })
}

function textData(values: readonly Cell[], nulls: Nulls): arrow.Data {
  const encoder = new TextEncoder()
  const valueOffsets = new Int32Array(values.length + 1)
  let data = new Uint8Array(values.length * 16 + 64)
  let end = 0
  for (let at = 0; at < values.length; at += 1) {
    const text = String(values[at] ?? '')
    // A UTF-16 unit takes three bytes at most. One buffer for all is several times faster than one per value.
    if (end + text.length * 3 > data.length) {
      const larger = new Uint8Array((end + text.length * 3) * 2)
      larger.set(data.subarray(0, end))
      data = larger
    }
    if (text !== '') end += encoder.encodeInto(text, data.subarray(end)).written
    valueOffsets[at + 1] = end
  }
  return arrow.makeData({ ...nulls, type: new arrow.Utf8(), valueOffsets, data: data.subarray(0, end) })
}

function refuse({ name, type }: CellColumn, cell: NonNullCell): never {
  throw new RangeError(`column "${name}" has type ${type} and cannot hold "${String(cell)}"`)
}
