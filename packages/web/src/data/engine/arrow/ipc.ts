// Converts rows to an Arrow IPC stream and back. Builds the buffers itself, because Arrow's builders generate code,
// which the page's policy forbids.
import {
  type Data,
  DataType,
  Field,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromIPC,
  tableToIPC,
} from 'apache-arrow'
import type { Cell, CellColumn, Column, Rows } from '../../domain/cells.ts'
import { cellAt } from './cell-at.ts'
import { toData } from './column-data.ts'

/** All columns must have the same length. Throws a RangeError for values that do not fit the type of their column. */
export function toIpc(columns: readonly CellColumn[]): Uint8Array {
  const data = columns.map(toData)
  const fields = columns.map(({ name }, at) => new Field(name, data[at]?.type ?? fail(name), true))
  return tableToIPC(tableOf(new Schema(fields), [data]), 'stream')
}

const fail = (name: string): never => {
  throw new RangeError(`column "${name}" has no data`)
}

export function rowsFromIpc(ipc: Uint8Array): Rows {
  const table = tableFromIPC(ipc)
  const columns = table.schema.fields.map(({ name, type }) => ({ name, type: duckType(type) }))
  return { columns, rows: rowsOf(table.batches, Number.POSITIVE_INFINITY) }
}

/** Converts an Arrow file to a stream. */
export const streamOfFile = (file: Uint8Array): Uint8Array => tableToIPC(tableFromIPC(file), 'stream')

export function rowsOf(batches: readonly RecordBatch[], maxRows: number): readonly (readonly Cell[])[] {
  const rows: Cell[][] = []
  for (const batch of batches) {
    const vectors = batch.schema.fields.map((_, at) => batch.getChildAt(at))
    for (let row = 0; row < batch.numRows; row += 1) {
      if (rows.length >= maxRows) return rows
      rows.push(vectors.map((vector) => (vector === null ? null : cellAt(vector, row))))
    }
  }
  return rows
}

/** The same batches with other column names. */
export function ipcOf(schema: Schema, batches: readonly RecordBatch[], columns: readonly Column[]): Uint8Array {
  const fields = schema.fields.map(({ name, type }, at) => new Field(columns[at]?.name ?? name, type, true))
  const parts = batches.map(({ data }) => data.children)
  return tableToIPC(tableOf(new Schema(fields), parts), 'stream')
}

function tableOf(schema: Schema, parts: readonly (readonly Data[])[]): Table {
  const batches = parts.map((children) => {
    const length = children[0]?.length ?? 0
    return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, children: [...children] }))
  })
  return new Table(schema, batches)
}

/** The DuckDB type of an Arrow type. */
function duckType(type: DataType): string {
  if (DataType.isDictionary(type)) return duckType(type.dictionary)
  if (DataType.isInt(type)) return intTypes[`${type.isSigned ? '' : 'U'}${type.bitWidth}`] ?? 'BIGINT'
  if (DataType.isFloat(type)) return type.precision === 2 ? 'DOUBLE' : 'FLOAT'
  if (DataType.isBool(type)) return 'BOOLEAN'
  if (DataType.isDecimal(type)) return `DECIMAL(${type.precision},${type.scale})`
  if (DataType.isDate(type)) return 'DATE'
  if (DataType.isTimestamp(type)) return type.timezone ? 'TIMESTAMP WITH TIME ZONE' : 'TIMESTAMP'
  if (DataType.isTime(type)) return 'TIME'
  if (DataType.isInterval(type)) return 'INTERVAL'
  if (DataType.isBinary(type) || DataType.isFixedSizeBinary(type) || DataType.isLargeBinary(type)) return 'BLOB'
  if (DataType.isMap(type)) return 'MAP'
  if (DataType.isStruct(type))
    return `STRUCT(${type.children.map((child) => `"${child.name}" ${duckType(child.type)}`).join(', ')})`
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) return `${duckType(type.children[0]?.type ?? type)}[]`
  return 'VARCHAR'
}

const intTypes: Readonly<Record<string, string>> = {
  8: 'TINYINT',
  16: 'SMALLINT',
  32: 'INTEGER',
  64: 'BIGINT',
  U8: 'UTINYINT',
  U16: 'USMALLINT',
  U32: 'UINTEGER',
  U64: 'UBIGINT',
}
