// The detected content of a file, and the choices of the user, before it becomes tables.
import type { Rows } from './cells.ts'
import type { FileFormat } from './imported-table.ts'

export interface ImportSource {
  readonly name: string
  readonly size: number
  bytes(): Promise<Uint8Array>
  /** Copies of parts of the file, if it can be read without loading all of it. */
  parts?(ranges: readonly ByteRange[]): Promise<readonly Uint8Array<ArrayBuffer>[]>
}

export interface ByteRange {
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

export interface PlannedColumn {
  /** As in the file: may be empty or repeated. */
  readonly sourceName: string
  /** Never empty, and unique in the table. */
  readonly name: string
  /** DuckDB's type name; `null` leaves the column out. */
  readonly type: string | null
  /** How to parse the text where SQL would not. Detected from the values, and kept when the user edits the plan. */
  readonly reading?: ColumnReading
  /** Why the column looks personal: a predicate such as "looks like phone numbers". Absent if it does not. */
  readonly personal?: string
  /** Whether the column is never sent to a model. Absent keeps the lock of an earlier import; `false` removes it. */
  readonly isLocked?: boolean
}

export interface ColumnReading {
  /** Dates as 31.12.2026 or 12/31/2026. */
  readonly dates?: 'day-first' | 'month-first'
  /** Numbers as 1.234,56 or 1,234.56. */
  readonly decimals?: 'comma' | 'point'
  /** Numbers followed by a percent sign: `12.5 %` is read as 12.5. */
  readonly percent?: true
  /** Words that mean "no value" in this column, such as NA. */
  readonly blanks?: readonly string[]
  /** `empty` imports values that do not fit the type as empty. Otherwise their rows are rejected. */
  readonly misfits?: 'empty'
}

export interface PlannedTable {
  /** The sheet of a workbook or the table of a database; `null` if the file is one table. */
  readonly part: string | null
  readonly isChosen: boolean
  readonly name: string
  readonly columns: readonly PlannedColumn[]
  /** The first 50 rows, as text of the file's own columns. */
  readonly preview: Rows
  /** `null` if counting would need a full read. */
  readonly rowCount: number | null
}

/** Plain JSON. The user edits it, and together with the file it contains everything for a later import. */
export interface ImportPlan {
  readonly file: string
  readonly sizeBytes: number
  readonly format: FileFormat
  /** For text formats. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | null
  /** For CSV. */
  readonly delimiter: string | null
  readonly hasHeader: boolean | null
  readonly tables: readonly PlannedTable[]
  /** Messages for the user, such as "3 header names were empty". */
  readonly warnings: readonly string[]
}

/** The types that the user can choose for a column. */
export const columnTypes = ['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'DATE', 'TIMESTAMP', 'TIME'] as const

/** The rows and values that an import of the plan would reject. */
export interface ImportCheck {
  /** False if only samples of a large file were checked. */
  readonly isWhole: boolean
  /** In the order of the plan; `null` for tables that are not chosen. */
  readonly tables: readonly (TableCheck | null)[]
}

export interface TableCheck {
  readonly rows: number
  /** Rows that would be left out of the table. */
  readonly rejectedRows: number
  /** Rejected rows with more or fewer values than there are columns. */
  readonly wrongWidth: number
  readonly columns: readonly ColumnCheck[]
}

export interface ColumnCheck {
  /** Values that are not empty. */
  readonly values: number
  /** Values that do not fit the type. */
  readonly misfits: number
  /** Up to three different misfits. */
  readonly examples: readonly string[]
  /** The reading of the plan, completed with what the values suggest. */
  readonly reading?: ColumnReading
}

export type ImportStage = 'reading' | 'detecting' | 'loading' | 'saving'

/** Rows of all chosen tables that would not be added. */
export const rejectedRowsOf = (check: ImportCheck | null): number =>
  (check?.tables ?? []).reduce((sum, table) => sum + (table?.rejectedRows ?? 0), 0)

/** In these formats one value that does not fit rejects the whole file, not only its row. */
export const rejectsWholeFile = ({ format }: ImportPlan): boolean => format === 'parquet' || format === 'arrow'
