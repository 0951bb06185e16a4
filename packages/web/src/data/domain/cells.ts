// Values of tables. Engines and files have many types; the page uses these.

/**
 * Integers beyond the safe range are bigint, decimals are numbers; dates, times and timestamps are ISO text; lists,
 * structs and bytes are text.
 */
export type Cell = null | boolean | number | bigint | string

export interface Column {
  readonly name: string
  /** DuckDB's type name. */
  readonly type: string
}

/** A column with one value per row. */
export interface CellColumn extends Column {
  readonly values: readonly Cell[]
}

export interface Rows {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
}

export type ColumnKind = 'number' | 'text' | 'date' | 'time' | 'yes-no' | 'other'

export function kindOf({ type }: Column): ColumnKind {
  const name = type.toUpperCase()
  if (/\[\]|^(STRUCT|MAP|LIST|UNION|BLOB|INTERVAL)/.test(name)) return 'other'
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC)/.test(name)) return 'number'
  if (/^(TIMESTAMP|DATETIME|DATE)/.test(name)) return 'date'
  if (name.startsWith('TIME')) return 'time'
  if (name.startsWith('BOOL')) return 'yes-no'
  return /^(VARCHAR|CHAR|TEXT|STRING|ENUM|UUID)/.test(name) ? 'text' : 'other'
}

/** Quotes a name for SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A cell as text for display. `exactText` has the exact value. Views display `null` themselves. */
export function cellText(cell: Exclude<Cell, null>): string {
  if (typeof cell !== 'number') return String(cell)
  // Sums of decimals have noise (0.30000000000000004). Fifteen digits are exact.
  return Number.isFinite(cell) ? String(Number(cell.toPrecision(15))) : String(cell)
}

/** For clipboards and files: not rounded, and `null` is empty. */
export const exactText = (cell: Cell): string => (cell === null ? '' : String(cell))
