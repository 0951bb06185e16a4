// What an analysis needs of the rest of the page.
import type { Client } from '@quarterdeck/client'
import type { ModelSummary } from '@quarterdeck/protocol'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { CodeRunner } from '../../tools/tool-deps.ts'
import type { AnalysisStorage } from './analysis-storage.ts'

export interface AnalysisServices {
  readonly runner: CodeRunner
  readonly storage: AnalysisStorage
  readonly fetch: typeof fetch
  readonly client: Client
  readonly models: () => readonly ModelSummary[]
  /** Resolves when the engine is there with its tables. Rejects with `EngineError`. */
  readonly ready: () => Promise<void>
  /** Every table that is here. */
  readonly tables: () => readonly ImportedTable[]
  /** Resolves when all of these are here: a file may have to be chosen again. */
  readonly whenTablesReady: (tables: readonly string[], signal: AbortSignal) => Promise<void>
  /** The engine began anew: the steps in it are gone. Returns how to stop listening. */
  readonly onRestart: (listener: () => void) => () => void
  /** The rows become a table of the workspace. */
  readonly addTable: (name: string, ipc: Uint8Array) => Promise<void>
  readonly locks: Pick<LockManager, 'request'> | undefined
}
