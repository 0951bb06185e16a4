import { cellText } from '../../domain/cell-text.ts'
import { type ColumnKind, kindOf, type Rows } from '../../domain/cells.ts'

export interface GridColumn {
  readonly name: string
  readonly type: string
  readonly kind: ColumnKind
  /** In characters. */
  readonly width: number
}

const [narrowest, widest, looked] = [6, 40, 200]

/** Wide enough for what the first rows hold, within reason; the head needs room for its two icons. */
export function gridColumns({ columns, rows }: Rows): readonly GridColumn[] {
  return columns.map((column, index) => {
    let width = column.name.length + 5
    for (const row of rows.slice(0, looked)) {
      const cell = row[index] ?? null
      if (cell !== null) width = Math.max(width, cellText(cell).length)
    }
    const kind = kindOf(column)
    return { name: column.name, type: column.type, kind, width: Math.min(widest, Math.max(narrowest, width)) }
  })
}
