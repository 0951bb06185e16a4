// A table that was added to this browser, and where it came from.
import type { Column } from './cells.ts'
import type { Rejected } from './query-engine.ts'

export const fileFormats = ['csv', 'json', 'ndjson', 'parquet', 'arrow', 'excel', 'sqlite'] as const
export type FileFormat = (typeof fileFormats)[number]

export interface ImportedTable {
  readonly name: string
  readonly rowCount: number
  readonly columns: readonly Column[]
  readonly neverSent: readonly string[]
  /** Locked, and not in the table now: left out, or not in this file. Never sent when they come back. */
  readonly lockedAway?: readonly LockedColumn[]
  readonly source: {
    readonly file: string
    readonly format: FileFormat
    readonly sizeBytes: number
    /** SHA-256 of the file, hex: the same file again is known again. */
    readonly fingerprint: string
  }
  readonly rejectedCount: number
  /** At most 1000 of them. */
  readonly rejected: readonly Rejected[]
  readonly addedAt: string
  /** False where the file is only here until the page is left: then only its name comes back. */
  readonly isKept: boolean
  /**
   * Made here of rows while columns were never sent: it may have those under other names, so no question is about it
   * until a person chooses it.
   */
  readonly joinsByHand?: boolean
}

export interface LockedColumn {
  readonly name: string
  /** As its file had it; `null` where that is not known. */
  readonly sourceName: string | null
}
