import type { ChartChoice } from '../domain/analysis.ts'
import { type Column, type ColumnKind, kindOf, type Rows } from '../domain/cells.ts'

/** A column of the rows by its place: names may be double. */
export interface IndexedColumn {
  readonly columnIndex: number
  readonly name: string
  readonly kind: ColumnKind
}

/** What a choice is drawn from. `missing` are the names no column has. */
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

/** As the database finds it: the very name, else the same name in other letters. −1 where there is none. */
export function columnIndexOf(columns: readonly Column[], name: string): number {
  const exact = columns.findIndex((column) => column.name === name)
  if (exact >= 0) return exact
  return columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase())
}
