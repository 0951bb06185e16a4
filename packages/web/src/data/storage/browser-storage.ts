// What this browser keeps of Data, so that a refresh, another tab or another day finds it again.
import type { Analysis } from '../domain/analysis.ts'
import type { AnalysisSummary } from '../domain/data-services.ts'
import type { ImportPlan } from '../domain/import-plan.ts'
import type { ImportedTable } from '../domain/imported-table.ts'

export interface BrowserStorage {
  /** False where the browser keeps nothing (a private window, blocked storage): all works, until the page is left. */
  readonly isLasting: boolean
  readonly tables: StoredTables
  readonly analyses: StoredAnalyses
  readonly steps: StoredSteps
  /** What other tabs changed; this tab's own changes are not told. Returns how to stop listening. */
  watch(listener: (change: StorageChange) => void): () => void
  /** `null` where the browser does not tell. */
  storage(): Promise<StorageUsage | null>
  /** Asks the browser never to clear it by itself; it may say no. */
  persist(): Promise<boolean>
  close(): void
}

export type StorageChange =
  | { readonly what: 'tables' }
  | { readonly what: 'analysis'; readonly id: string }
  | { readonly what: 'step'; readonly id: string; readonly n: number }

export interface StorageUsage {
  readonly usedBytes: number
  readonly quotaBytes: number
  readonly isPersistent: boolean
}

/** What changes here is the old or the new after a crash, never half of it. All reject with `StorageError`, what comes out of them too. */
export interface StoredTables {
  list(): Promise<readonly ImportedTable[]>
  /**
   * The file first, then what is known of the table; `bytes: null` keeps only the latter. A table of that name is
   * replaced. `resolveTableName` gives it another by the tables there are in that moment, whichever tab they are from; it is
   * returned as it is kept.
   */
  put(entry: TableEntry, bytes: Uint8Array | null, resolveTableName?: ResolveName): Promise<ImportedTable>
  /** Another name, other columns that are never sent: what is known of the table, with the same file. Rejects where nothing is. */
  change(name: string, next: ImportedTable): Promise<void>
  /** The file goes with its last table. */
  remove(name: string): Promise<void>
  /** The file of a table and how it was read; `null` where it is not here. */
  source(name: string): Promise<{ readonly plan: ImportPlan; readonly bytes: Uint8Array } | null>
  /** Every file once, with all the tables that come from it in one plan: what brings the tables back. */
  sources(): Promise<readonly StoredSource[]>
}

export type ResolveName = (there: readonly ImportedTable[]) => string

export interface TableEntry {
  readonly table: ImportedTable
  /** Of its file; what it says about other tables is not kept. */
  readonly plan: ImportPlan
}

export interface StoredSource {
  readonly plan: ImportPlan
  readonly tables: readonly ImportedTable[]
  /** `null` where the browser does not have it any more. */
  bytes(): Promise<Uint8Array | null>
}

export interface StoredAnalyses {
  list(): Promise<readonly AnalysisSummary[]>
  load(id: string): Promise<Analysis | null>
  save(analysis: Analysis, summary: AnalysisSummary): Promise<void>
  /** Its steps go with it. */
  remove(id: string): Promise<void>
}

export interface StoredSteps {
  load(id: string, n: number): Promise<Uint8Array | null>
  /** False where the rows are too many to be kept: then the step has none here. `ipc: null` forgets them. */
  save(id: string, n: number, ipc: Uint8Array | null): Promise<boolean>
}

/** `full`: the browser gives no more space · `blocked`: it gives none. */
export class StorageError extends Error {
  readonly problem: 'full' | 'blocked'

  constructor(problem: StorageError['problem'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StorageError'
    this.problem = problem
  }
}

export const full = (cause: unknown): StorageError =>
  new StorageError('full', 'The browser has no space left for this site.', { cause })

export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  const name = error instanceof Error || error instanceof DOMException ? error.name : ''
  return name === 'QuotaExceededError'
    ? full(error)
    : new StorageError('blocked', `The browser did not keep it: ${String(error)}`, { cause: error })
}
