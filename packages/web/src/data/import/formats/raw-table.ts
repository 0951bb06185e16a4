// Rows of a file that has values of its own (JSON, a workbook, a database), column by column, before they have types.
import type { Cell } from '../../domain/cells.ts'
import { refuseTooWide } from '../source/file-limits.ts'

export interface RawTable {
  /** The sheet, the table, the key; `null` where the file is the table. */
  readonly part: string | null
  readonly columns: readonly RawColumn[]
  readonly rowCount: number
  /** Where a row is in the file, from 1. */
  lineOf(row: number): number
}

export interface RawColumn {
  readonly sourceName: string
  /** As many as the table has rows. */
  readonly values: readonly Cell[]
}

interface GrowingColumn {
  readonly values: Cell[]
  /** Which rows they are of; `null` as long as no row was without one. */
  rows: number[] | null
}

/** Takes rows whose keys nobody knows beforehand. */
export function createRawColumns(file: string) {
  const columns = new Map<string, GrowingColumn>()
  let rowCount = 0
  return {
    /** A key that comes twice in a row: the last one counts, as in JavaScript. */
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
