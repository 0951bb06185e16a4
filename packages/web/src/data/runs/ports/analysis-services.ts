// The services that an analysis uses.
import type { Client } from '@quarterdeck/client'
import type { ModelSummary } from '@quarterdeck/protocol'
import type { Analysis } from '../../domain/analysis.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { CodeRunner } from '../../tools/tool-deps.ts'

export interface AnalysisServices {
  readonly runner: CodeRunner
  readonly storage: AnalysisStorage
  readonly fetch: typeof fetch
  readonly client: Client
  readonly models: () => readonly ModelSummary[]
  /** Resolves when the engine and its tables are loaded. Rejects with `EngineError`. */
  readonly ready: () => Promise<void>
  /** All loaded tables. */
  readonly tables: () => readonly ImportedTable[]
  /** Resolves when all of these are loaded: the user may have to choose a file again. */
  readonly whenTablesReady: (tables: readonly string[], signal: AbortSignal) => Promise<void>
  /** Called after an engine restart, which drops all steps. Returns a function that unsubscribes. */
  readonly onRestart: (listener: () => void) => () => void
  /** Adds the rows as a table. */
  readonly addTable: (name: string, ipc: Uint8Array) => Promise<void>
  readonly locks: Pick<LockManager, 'request'> | undefined
}

export interface AnalysisStorage {
  load(id: string): Promise<Analysis | null>
  save(analysis: Analysis): Promise<void>
  /** The rows of a step as an Arrow IPC stream; `null` if not stored. */
  loadStep(id: string, n: number): Promise<Uint8Array | null>
  /** Rows beyond the limit are not stored. */
  saveStep(id: string, n: number, ipc: Uint8Array | null): Promise<void>
  /** Called when another tab saved or removed it. Returns a function that unsubscribes. */
  watch(id: string, listener: () => void): () => void
}
