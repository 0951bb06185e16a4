// A table that was imported into this browser, and its source.
import type { Column } from './cells.ts'
import type { Rejected } from './query-engine.ts'

export type FileFormat = 'csv' | 'json' | 'ndjson' | 'parquet' | 'arrow' | 'excel' | 'sqlite'

/** The format of the stored record. */
export interface ImportedTable {
  readonly name: string
  readonly rowCount: number
  readonly columns: readonly Column[]
  readonly neverSent: readonly string[]
  /** Locked columns that are not in the table now. They stay locked if a later import contains them. */
  readonly lockedAway?: readonly LockedColumn[]
  readonly source: {
    readonly file: string
    readonly format: FileFormat
    readonly sizeBytes: number
    /** SHA-256 of the file in hex, to recognize the same file. */
    readonly fingerprint: string
  }
  readonly rejectedCount: number
  /** At most 1000. */
  readonly rejected: readonly Rejected[]
  readonly addedAt: string
  /** False if the file is lost when the page closes; then only the name of the table is restored. */
  readonly isKept: boolean
  /**
   * Created from rows while columns were locked. It may contain these under other names, so it is in no scope until the
   * user adds it.
   */
  readonly joinsByHand?: boolean
}

export interface LockedColumn {
  readonly name: string
  /** The name in the file; `null` if unknown. */
  readonly sourceName: string | null
}
