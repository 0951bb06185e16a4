// What an analysis needs of the rest of the page.
import type { AnalysisTool, AnalyzedTable, Client, ModelSummary, PrivacyLevel } from '@quarterdeck/protocol'
import type { LedgerEntry } from '../analysis.ts'
import type { Rows } from '../cells.ts'
import type { Engine } from '../engine.ts'
import type { KeptTable } from '../kept-table.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { StepBook } from '../steps/step-book.ts'
import type { AnalysisShelf } from './analysis-shelf.ts'
import type { AskDesk } from './create-ask-desk.ts'

export interface AnalysisRooms {
  readonly engine: Engine
  readonly shelf: AnalysisShelf
  readonly fetch: typeof fetch
  readonly client: Client
  readonly models: () => readonly ModelSummary[]
  readonly sandbox: () => Promise<Sandbox>
  readonly toIpc: (rows: Rows) => Promise<Uint8Array>
  /** Every table that is here. */
  readonly tables: () => readonly KeptTable[]
  /** Resolves when all of these are here: a file may have to be chosen again. */
  readonly whenHere: (tables: readonly string[], signal: AbortSignal) => Promise<void>
  readonly describe: (
    tables: readonly KeptTable[],
    level: PrivacyLevel,
    signal: AbortSignal,
  ) => Promise<readonly AnalyzedTable[]>
  readonly createTools: (deps: ToolDeps) => Readonly<Record<string, AnalysisTool>>
  readonly ledgerFetch: (send: typeof fetch, ledger: LedgerDeps) => typeof fetch
  /** The engine began anew: the steps in it are gone. Returns how to stop listening. */
  readonly onRestart: (listener: () => void) => () => void
  readonly useAsTable: (name: string, ipc: Uint8Array) => Promise<void>
  readonly locks: Pick<LockManager, 'request'> | undefined
}

export interface ToolDeps {
  readonly level: () => PrivacyLevel
  readonly tables: () => readonly KeptTable[]
  readonly steps: StepBook
  readonly desk: AskDesk
}

export interface LedgerDeps {
  readonly onEntry: (entry: LedgerEntry) => void
  readonly level: () => PrivacyLevel
  readonly stepOf: (callId: string) => number | null
}
