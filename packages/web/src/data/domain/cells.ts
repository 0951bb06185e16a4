// What lies in a table, as the page works with it. Engines and files have many types; the page has these.

/**
 * Whole numbers beyond what a number holds exactly stay bigint, decimals are numbers; days, times and moments are ISO
 * text; lists, structs and bytes are text.
 */
export type Cell = null | boolean | number | bigint | string

export interface Column {
  readonly name: string
  /** As DuckDB names it. */
  readonly type: string
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

/** A name as SQL takes it, whatever is in it. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`
