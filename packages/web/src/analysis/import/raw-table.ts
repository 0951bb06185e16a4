// Rows of a file that has values of its own (JSON, a workbook, a database), column by column, before they have types.
import type { Cell } from '../cells.ts'

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

/** Takes rows whose keys nobody knows beforehand. */
export function createRawColumns() {
  const columns = new Map<string, Cell[]>()
  let rowCount = 0
  return {
    /** A key that comes twice in a row: the last one counts, as in JavaScript. */
    set(key: string, value: Cell) {
      let values = columns.get(key)
      if (values === undefined) {
        values = []
        columns.set(key, values)
      }
      while (values.length < rowCount) values.push(null)
      values[rowCount] = value
    },
    endRow() {
      rowCount += 1
    },
    rowCount: () => rowCount,
    finish(): readonly RawColumn[] {
      for (const values of columns.values()) while (values.length < rowCount) values.push(null)
      return [...columns].map(([sourceName, values]) => ({ sourceName, values }))
    },
  }
}

export const rowOf = ({ columns }: RawTable, row: number): readonly Cell[] =>
  columns.map(({ values }) => values[row] ?? null)
