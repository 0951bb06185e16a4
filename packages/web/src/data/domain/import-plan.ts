// What a file seems to hold, and what a person makes of that, before it becomes tables.
import type { Rows } from './cells.ts'
import type { FileFormat } from './imported-table.ts'

export interface ImportSource {
  readonly name: string
  readonly size: number
  bytes(): Promise<Uint8Array>
  /** Parts of it as copies of their own, where it need not be read whole for them. */
  parts?(ranges: readonly ByteRange[]): Promise<readonly Uint8Array<ArrayBuffer>[]>
}

export interface ByteRange {
  readonly from: number
  /** The first byte behind it. */
  readonly to: number
}

export interface PlannedColumn {
  /** As the file has it: empty or double names are possible. */
  readonly sourceName: string
  /** Never empty, and unique in the table. */
  readonly name: string
  /** As DuckDB names it; `null` leaves the column out. */
  readonly type: string | null
  /** How text of the file is read as that type where SQL would not; found by looking, and kept when a person edits. */
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
  /** The sheet of a workbook or the table of a database; `null` where the file is the table. */
  readonly part: string | null
  readonly isChosen: boolean
  readonly name: string
  readonly columns: readonly PlannedColumn[]
  /** The first 50 rows, as text of the file's own columns. */
  readonly preview: Rows
  /** `null` where only reading all of it would tell. */
  readonly rowCount: number | null
}

/** Plain JSON: a person edits it (names, types, options), and with the file it is all that is needed to import again. */
export interface ImportPlan {
  readonly file: string
  readonly sizeBytes: number
  readonly format: FileFormat
  /** Of text formats. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | null
  /** Of CSV. */
  readonly delimiter: string | null
  readonly hasHeader: boolean | null
  readonly tables: readonly PlannedTable[]
  /** In words, for the person: "too large to be comfortable", "3 header names were empty". */
  readonly warnings: readonly string[]
}

/** The types a person may choose for a column. */
export const columnTypes = ['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'DATE', 'TIMESTAMP', 'TIME'] as const

/** What an import of the plan would reject, found without adding anything. */
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

export type ImportStage = 'reading' | 'detecting' | 'loading' | 'keeping'
