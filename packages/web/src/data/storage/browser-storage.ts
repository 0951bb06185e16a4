// Data in browser storage, available after a reload, in other tabs and on later visits.
import type { Analysis } from '../domain/analysis.ts'
import type { AnalysisSummary, StorageUsage } from '../domain/data-services.ts'
import type { ImportPlan } from '../domain/import-plan.ts'
import type { ImportedTable } from '../domain/imported-table.ts'

export interface BrowserStorage {
  /** False if the browser stores nothing (private window, blocked storage): Data works until the page closes. */
  readonly isLasting: boolean
  readonly tables: StoredTables
  readonly analyses: StoredAnalyses
  readonly steps: StoredSteps
  /** Called for changes of other tabs only. Returns a function that unsubscribes. */
  watch(listener: (change: StorageChange) => void): () => void
  /** `null` if the browser does not report it. */
  storage(): Promise<StorageUsage | null>
  /** Asks the browser never to clear this storage by itself. The browser may refuse. */
  persist(): Promise<boolean>
  close(): void
}

export type StorageChange =
  | { readonly what: 'tables' }
  | { readonly what: 'analysis'; readonly id: string }
  | { readonly what: 'step'; readonly id: string; readonly n: number }

/** Changes are atomic: after a crash the old or the new state exists. All methods reject with `StorageError`. */
export interface StoredTables {
  list(): Promise<readonly ImportedTable[]>
  /**
   * Stores the file first, then the record of the table; `bytes: null` stores only the record. Replaces a table of that
   * name. `resolveTableName` may choose another name from the tables of all tabs at that moment. Returns the stored
   * table.
   */
  put(entry: TableEntry, bytes: Uint8Array | null, resolveTableName?: ResolveName): Promise<ImportedTable>
  /** Changes the record of a table (name, locked columns) and keeps its file. Rejects if there is no record. */
  change(name: string, next: ImportedTable): Promise<void>
  /** Removes the file with its last table. */
  remove(name: string): Promise<void>
  /** The file of a table and its plan; `null` if missing. */
  source(name: string): Promise<{ readonly plan: ImportPlan; readonly bytes: Uint8Array } | null>
  /** Each table with its own part of the plan of its file. */
  entries(): Promise<readonly TableEntry[]>
}

export type ResolveName = (there: readonly ImportedTable[]) => string

export interface TableEntry {
  readonly table: ImportedTable
  /** The plan of its file, without other tables. */
  readonly plan: ImportPlan
}

export interface StoredAnalyses {
  list(): Promise<readonly AnalysisSummary[]>
  load(id: string): Promise<Analysis | null>
  save(analysis: Analysis, summary: AnalysisSummary): Promise<void>
  /** Removes its steps as well. */
  remove(id: string): Promise<void>
}

export interface StoredSteps {
  load(id: string, n: number): Promise<Uint8Array | null>
  /** False if there are too many rows to store. `ipc: null` removes them. */
  save(id: string, n: number, ipc: Uint8Array | null): Promise<boolean>
}

/** `full`: no space left · `blocked`: no storage at all. */
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
    : new StorageError('blocked', `The browser could not store it: ${String(error)}`, { cause: error })
}
