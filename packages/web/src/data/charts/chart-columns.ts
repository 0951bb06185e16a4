import type { ChartChoice } from '../domain/analysis.ts'
import { type Column, type ColumnKind, kindOf, type Rows } from '../domain/cells.ts'

/** A column by index, because names may repeat. */
export interface IndexedColumn {
  readonly columnIndex: number
  readonly name: string
  readonly kind: ColumnKind
}

/** The columns of a choice. `missing` are names that match no column. */
export interface ChartColumns {
  readonly x: IndexedColumn | null
  readonly y: readonly IndexedColumn[]
  readonly series: IndexedColumn | null
  readonly missing: readonly string[]
}

export function chartColumns({ x, y, series }: ChartChoice, rows: Rows): ChartColumns {
  const missing: string[] = []
  function find(name: string | null): IndexedColumn | null {
    if (name === null) return null
    const columnIndex = columnIndexOf(rows.columns, name)
    const column = rows.columns[columnIndex]
    if (column === undefined) {
      missing.push(name)
      return null
    }
    return { columnIndex, name: column.name, kind: kindOf(column) }
  }
  const found = { x: find(x), y: y.map(find).filter((placed) => placed !== null), series: find(series) }
  return { ...found, missing }
}

/** Index of the column with exactly this name, or with the same name in another case; −1 if there is none. */
export function columnIndexOf(columns: readonly Column[], name: string): number {
  const exact = columns.findIndex((column) => column.name === name)
  if (exact >= 0) return exact
  return columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase())
}
