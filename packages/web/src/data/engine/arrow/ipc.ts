// Rows as an Arrow IPC stream and back. Arrow's own builders make code from text, which the page's policy forbids: the
// buffers are made here.
import { type Data, Field, makeData, RecordBatch, Schema, Struct, Table, tableFromIPC, tableToIPC } from 'apache-arrow'
import type { Cell, Rows } from '../../domain/cells.ts'
import { cellAt } from './cell-at.ts'
import { toData } from './column-data.ts'
import { duckType } from './duck-type.ts'

export interface ArrowColumn {
  readonly name: string
  /** As DuckDB names it; types that are none of the usual ones become text. */
  readonly type: string
  readonly values: readonly Cell[]
}

/** All columns have to be of one length. Values that their column's type does not take are rejected with a RangeError. */
export function toIpc(columns: readonly ArrowColumn[]): Uint8Array {
  const data = columns.map(toData)
  const fields = columns.map(({ name }, at) => new Field(name, data[at]?.type ?? fail(name), true))
  return tableToIPC(tableOf(new Schema(fields), [data]), 'stream')
}

const fail = (name: string): never => {
  throw new RangeError(`the column "${name}" has no data`)
}

export function rowsFromIpc(ipc: Uint8Array): Rows {
  const table = tableFromIPC(ipc)
  const columns = table.schema.fields.map(({ name, type }) => ({ name, type: duckType(type) }))
  return { columns, rows: rowsOf(table.batches, Number.POSITIVE_INFINITY) }
}

/** An Arrow file as a stream. */
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

/** The same batches under other names. */
export function ipcOf(schema: Schema, batches: readonly RecordBatch[], names: readonly string[]): Uint8Array {
  const fields = schema.fields.map((field, at) => new Field(names[at] ?? field.name, field.type, true))
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
