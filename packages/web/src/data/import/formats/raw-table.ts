// Rows of a file with its own value types (JSON, workbook, database), by column, before types are chosen.
import type { Cell } from '../../domain/cells.ts'
import { refuseTooWide } from '../source/file-limits.ts'

export interface RawTable {
  /** The sheet, table or key; `null` if the file is one table. */
  readonly part: string | null
  readonly columns: readonly RawColumn[]
  readonly rowCount: number
  /** The position of a row in the file, from 1. */
  lineOf(row: number): number
}

export interface RawColumn {
  readonly sourceName: string
  /** One value per row of the table. */
  readonly values: readonly Cell[]
}

interface GrowingColumn {
  readonly values: Cell[]
  /** The row of each value; `null` while no row lacks one. */
  rows: number[] | null
}

/** Collects rows with unknown keys. */
export function createRawColumns(file: string) {
  const columns = new Map<string, GrowingColumn>()
  let rowCount = 0
  return {
    /** If a key is repeated in a row, the last value counts, as in JavaScript. */
    set(key: string, value: Cell) {
      let column = columns.get(key)
      if (column === undefined) {
        column = { values: [], rows: null }
        columns.set(key, column)
        refuseTooWide(file, { columns: columns.size, rows: rowCount })
      }
      setCell(column, rowCount, value)
    },
    endRow() {
      rowCount += 1
      refuseTooWide(file, { columns: columns.size, rows: rowCount })
    },
    rowCount: () => rowCount,
    finish: (): readonly RawColumn[] =>
      [...columns].map(([sourceName, column]) => ({ sourceName, values: filledUp(column, rowCount) })),
  }
}

function setCell(column: GrowingColumn, row: number, value: Cell): void {
  const { values } = column
  if (column.rows === null && values.length < row) column.rows = values.map((_, index) => index)
  const last = column.rows === null ? values.length - 1 : (column.rows.at(-1) ?? -1)
  if (last === row) values[values.length - 1] = value
  else {
    values.push(value)
    column.rows?.push(row)
  }
}

function filledUp({ values, rows }: GrowingColumn, rowCount: number): readonly Cell[] {
  if (values.length === rowCount) return values
  const filled = new Array<Cell>(rowCount).fill(null)
  for (const [index, value] of values.entries()) filled[rows?.[index] ?? index] = value
  return filled
}

export const rowOf = ({ columns }: RawTable, row: number): readonly Cell[] =>
  columns.map(({ values }) => values[row] ?? null)
