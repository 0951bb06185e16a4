// What an analysis needs of the rest of the page.
import type { Client, ModelSummary } from '@quarterdeck/protocol'
import type { KeptTable } from '../kept-table.ts'
import type { CodeRunner } from '../tools/tool-deps.ts'
import type { AnalysisShelf } from './analysis-shelf.ts'

export interface AnalysisRooms {
  readonly runner: CodeRunner
  readonly shelf: AnalysisShelf
  readonly fetch: typeof fetch
  readonly client: Client
  readonly models: () => readonly ModelSummary[]
  /** Resolves when the engine is there with its tables. Rejects with `EngineError`. */
  readonly ready: () => Promise<void>
  /** Every table that is here. */
  readonly tables: () => readonly KeptTable[]
  /** Resolves when all of these are here: a file may have to be chosen again. */
  readonly whenHere: (tables: readonly string[], signal: AbortSignal) => Promise<void>
  /** The engine began anew: the steps in it are gone. Returns how to stop listening. */
  readonly onRestart: (listener: () => void) => () => void
  /** The rows become a table of the workspace. */
  readonly addTable: (name: string, ipc: Uint8Array) => Promise<void>
  readonly locks: Pick<LockManager, 'request'> | undefined
}
