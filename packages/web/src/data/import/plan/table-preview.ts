import { ellipsize } from '@quarterdeck/protocol'
import type { Cell, Rows } from '../../domain/cells.ts'
import type { NamedColumn } from './column-names.ts'

export const previewCount = 50

/** Text under the column names of the file, with long cells cut. */
export const previewRows = (columns: readonly NamedColumn[], rows: readonly (readonly Cell[])[]): Rows => ({
  columns: columns.map(({ sourceName }) => ({ name: sourceName, type: 'VARCHAR' })),
  rows: rows.slice(0, previewCount).map((row) => columns.map((_, index) => previewCell(row[index] ?? null))),
})

function previewCell(value: Cell): string | null {
  if (value === null || value === '') return null
  return ellipsize(String(value), 1000)
}
