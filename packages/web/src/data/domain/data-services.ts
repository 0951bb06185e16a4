// The services of the Data pages: tables of this browser, analyses, and their database.
import type { PrivacyLevel, QuarterdeckError } from '@quarterdeck/protocol'
import type { Store } from '../../stores/primitives/store.ts'
import type { Analysis, ChartChoice, Run, RunPrompt, RunState } from './analysis.ts'
import type { ImportCheck, ImportPlan, ImportSource, ImportStage } from './import-plan.ts'
import type { ImportedTable } from './imported-table.ts'
import type { EngineError, EngineProgress, ReadResult } from './query-engine.ts'
import type { JoinSuggestion, TableProfile } from './table-profile.ts'

export interface DataServices {
  readonly engine: Store<EngineState>
  readonly tables: Store<TablesState>
  readonly analyses: Store<AnalysesState>
  /** Everything that works offline has been loaded. Only questions need the server. */
  readonly worksOffline: Store<boolean>
  /** Loads the engine. Calls after a successful one cost nothing. */
  start(): Promise<void>
  planImport(file: ImportSource, signal?: AbortSignal): Promise<ImportPlan>
  /** Plans the same file again with another delimiter, encoding or header. Detects names and types again. */
  replanImport(file: ImportSource, plan: ImportPlan, signal?: AbortSignal): Promise<ImportPlan>
  /** Counts the values that do not fit the types of the plan, and the rows that would be rejected. */
  checkImport(file: ImportSource, plan: ImportPlan, signal?: AbortSignal): Promise<ImportCheck>
  /** Replaces only tables that `replaces` names. Otherwise a taken name gets the next free suffix. */
  addTables(file: ImportSource, plan: ImportPlan, options: AddOptions): Promise<readonly ImportedTable[]>
  /** Adds the rows of a query or step as a table. Rejects if the name is taken. */
  addRows(name: string, ipc: Uint8Array): Promise<void>
  /** The file of a table and its plan, to read it again; `null` if this page does not have the file. */
  sourceOf(table: string): Promise<TableSource | null>
  /** Asks the browser never to clear this storage by itself. The browser may refuse. */
  persist(): Promise<boolean>
  removeTable(name: string): Promise<void>
  renameTable(from: string, to: string): Promise<void>
  /** Rejects with `LockNotStored` if the columns are locked on this page only. A failed unlock leaves them locked. */
  setNeverSent(table: string, columns: readonly string[]): Promise<void>
  profile(table: string, signal?: AbortSignal): Promise<TableProfile>
  suggestJoins(signal?: AbortSignal): Promise<readonly JoinSuggestion[]>
  /** SQL of the user: read-only, but with access to all columns. */
  query(sql: string, signal?: AbortSignal): Promise<ReadResult>
  createAnalysis(): Promise<string>
  removeAnalysis(id: string): Promise<void>
  /** Opens one analysis at a time: the steps of the previous one leave the engine. `null` if the id is unknown. */
  open(id: string): Promise<OpenAnalysis | null>
  close(): void
}

export interface EngineState {
  readonly status: 'off' | 'loading' | 'ready' | 'failed'
  readonly progress: EngineProgress | null
  readonly failure: EngineError | null
}

export interface TablesState {
  /** False if this browser stores nothing and data is lost when the page closes. `null` until known. */
  readonly isLasting: boolean | null
  /** The tables in the database; `null` while they are restored. */
  readonly tables: readonly ImportedTable[] | null
  /** The stored tables, available before the database starts; `null` at first. */
  readonly listed: readonly ImportedTable[] | null
  /** Tables whose file must be chosen again, because the browser no longer has it. */
  readonly missing: readonly ImportedTable[]
  readonly storage: StorageUsage | null
}

export interface StorageUsage {
  readonly usedBytes: number
  readonly quotaBytes: number
  readonly isPersistent: boolean
}

export interface AnalysesState {
  readonly analyses: readonly AnalysisSummary[] | null
  /** Analyses that did not fit into storage and are lost when the page closes. */
  readonly unsaved: readonly string[]
}

export type AnalysisSummary = Pick<Analysis, 'id' | 'title' | 'createdAt' | 'changedAt'> & {
  readonly questions: number
  /** The state of the last question; `null` before the first. Only the lock tells whether a tab runs it now. */
  readonly lastState: RunState | null
  /** The open prompt to the user. */
  readonly lastAsk: RunPrompt['kind'] | null
}

export interface TableSource {
  readonly file: ImportSource
  readonly plan: ImportPlan
}

export interface AddOptions {
  /** Whether to store the file in this browser, so that it survives a reload. */
  readonly isKept: boolean
  /** Names of tables that may be replaced, as shown to the user. */
  readonly replaces: readonly string[]
  readonly onStage?: (stage: ImportStage) => void
  readonly signal?: AbortSignal
}

export type AnalysisQuestion = Pick<Run, 'question' | 'tier' | 'thinking'>

/** The estimated cost of a question. */
export interface QuestionEstimate {
  readonly units: number
  /** `null` if a price is unknown. */
  readonly costUsd: number | null
}

/** An open analysis. One tab runs its tools. The other tabs show the same state and forward their actions to it. */
export interface OpenAnalysis {
  readonly state: Store<Analysis>
  readonly isLeader: Store<boolean>
  estimate(question: AnalysisQuestion): QuestionEstimate
  /** Resolves when the server accepted the question. Progress is in `state`. */
  ask(question: AnalysisQuestion): Promise<QuarterdeckError | null>
  /** Stops the query, the model, waiting calls and rerunning steps at once. */
  cancel(): Promise<void>
  /** Answers exactly the prompt that the user saw. */
  answerPrompt(to: RunPrompt, answer: string): Promise<void>
  /** Runs the step with this code and marks dependent steps and the answer as stale. Rejects with `EngineError`. */
  editStep(n: number, code: string): Promise<void>
  restoreStep(n: number): Promise<void>
  /** Runs this step and every later one that reads it. */
  runFrom(n: number): Promise<void>
  /** The rows of `step_n`, at most `maxRows`. */
  rows(n: number, maxRows: number, signal?: AbortSignal): Promise<ReadResult>
  /** Adds the rows of a step as a table. */
  useAsTable(n: number, name: string): Promise<void>
  setLevel(level: PrivacyLevel): Promise<void>
  setScope(tables: readonly string[]): Promise<void>
  setTitle(title: string): Promise<void>
  chooseChart(runId: string, index: number, choice: ChartChoice): Promise<void>
  close(): void
}

/** The columns are locked on this page, but the lock could not be stored: other tabs and a reload do not know it. */
export class LockNotStored extends Error {
  constructor(cause: Error) {
    super(`Locked on this page only, until you close it. ${cause.message}`, { cause })
    this.name = 'LockNotStored'
  }
}
