import { type Column, type ColumnKind, cellText, kindOf, type Rows } from '../../domain/cells.ts'

export interface GridColumn extends Column {
  readonly kind: ColumnKind
  /** In characters. */
  readonly width: number
}

const [narrowest, widest, sampledRows] = [6, 40, 200]

/** Wide enough for the first rows, within limits; the header needs space for two icons. */
export function gridColumns({ columns, rows }: Rows): readonly GridColumn[] {
  return columns.map((column, index) => {
    let width = column.name.length + 5
    for (const row of rows.slice(0, sampledRows)) {
      const cell = row[index] ?? null
      if (cell !== null) width = Math.max(width, cellText(cell).length)
    }
    return { ...column, kind: kindOf(column), width: Math.min(widest, Math.max(narrowest, width)) }
  })
}
