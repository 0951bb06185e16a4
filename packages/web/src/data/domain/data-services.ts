// What the pages of Data work with: tables of this browser, analyses, and the database they share.
import type { ModelTier, PrivacyLevel, QuarterdeckError } from '@quarterdeck/protocol'
import type { Store } from '../../stores/primitives/store.ts'
import type { Analysis, ChartChoice, RunPrompt, RunState } from './analysis.ts'
import type { ImportCheck, ImportPlan, ImportSource, ImportStage } from './import-plan.ts'
import type { ImportedTable } from './imported-table.ts'
import type { EngineError, EngineProgress, ReadResult } from './query-engine.ts'
import type { JoinSuggestion, TableProfile } from './table-profile.ts'

export interface DataServices {
  readonly engine: Store<EngineState>
  readonly tables: Store<TablesState>
  readonly analyses: Store<AnalysesState>
  /** All that works with tables has been loaded: only questions need the server from here on. */
  readonly worksOffline: Store<boolean>
  /** The first of several tries that works loads the engine; later ones cost nothing. */
  start(): Promise<void>
  planImport(file: ImportSource, signal?: AbortSignal): Promise<ImportPlan>
  /** The same file read differently: another delimiter, encoding or header. Names and types are found again. */
  replanImport(file: ImportSource, plan: ImportPlan, signal?: AbortSignal): Promise<ImportPlan>
  /** Counts the values that do not fit the types of the plan, and the rows that would be rejected. */
  checkImport(file: ImportSource, plan: ImportPlan, signal?: AbortSignal): Promise<ImportCheck>
  /** A table of another file is only ever replaced because `replaces` names it: beside it the new one gets the next free name. */
  addTables(file: ImportSource, plan: ImportPlan, options: AddOptions): Promise<readonly ImportedTable[]>
  /** Rows of a query or a step become a table. A name that a table has is refused. */
  addRows(name: string, ipc: Uint8Array): Promise<void>
  /** The file of a table and how it was read, for reading it again; `null` where this page does not have it. */
  sourceOf(table: string): Promise<TableSource | null>
  /** Asks the browser never to clear by itself what is kept here; it may say no. */
  persist(): Promise<boolean>
  removeTable(name: string): Promise<void>
  renameTable(from: string, to: string): Promise<void>
  /** Rejects with `LockNotStored` where they are locked, but only on this page; what cannot be unlocked stays locked. */
  setNeverSent(table: string, columns: readonly string[]): Promise<void>
  profile(table: string, signal?: AbortSignal): Promise<TableProfile>
  suggestJoins(signal?: AbortSignal): Promise<readonly JoinSuggestion[]>
  /** The person's own SQL: reads only, but everything. */
  query(sql: string, signal?: AbortSignal): Promise<ReadResult>
  createAnalysis(): Promise<string>
  removeAnalysis(id: string): Promise<void>
  /** One at a time: the steps of the one before leave the engine. `null` where there is none of that id. */
  open(id: string): Promise<OpenAnalysis | null>
  close(): void
}

export interface EngineState {
  readonly status: 'off' | 'loading' | 'ready' | 'failed'
  readonly progress: EngineProgress | null
  readonly failure: EngineError | null
}

export interface TablesState {
  /** False where this browser keeps nothing: all goes when the page is left. `null` until it is known. */
  readonly isLasting: boolean | null
  /** Those in the database; `null` while they are brought back. */
  readonly tables: readonly ImportedTable[] | null
  /** The same by what is kept of them, long before the database is there; `null` for the first moment. */
  readonly listed: readonly ImportedTable[] | null
  /** Tables whose file has to be chosen again, because the browser does not have it any more. */
  readonly missing: readonly ImportedTable[]
  readonly storage: { readonly usedBytes: number; readonly quotaBytes: number; readonly isPersistent: boolean } | null
}

export interface AnalysesState {
  readonly analyses: readonly AnalysisSummary[] | null
  /** Those that the browser has no space for: they are here until the page is left. */
  readonly unsaved: readonly string[]
}

export type AnalysisSummary = Pick<Analysis, 'id' | 'title' | 'createdAt' | 'changedAt'> & {
  readonly questions: number
  /** Of the last question; `null` before the first. Whether a tab runs it now is known by its lock alone. */
  readonly lastState: RunState | null
  /** What a person is asked in the middle of it. */
  readonly lastAsk: RunPrompt['kind'] | null
}

export interface TableSource {
  readonly file: ImportSource
  readonly plan: ImportPlan
}

export interface AddOptions {
  /** Kept in this browser, so that a refresh does not lose it. */
  readonly isKept: boolean
  /** Names of tables that may go for these, as the person was told. */
  readonly replaces: readonly string[]
  readonly onStage?: (stage: ImportStage) => void
  readonly signal?: AbortSignal
}

export interface AnalysisQuestion {
  readonly question: string
  readonly tier: ModelTier
  readonly thinking: boolean
}

/** What a question will cost, about. */
export interface QuestionEstimate {
  readonly units: number
  /** `null` where a price is unknown. */
  readonly costUsd: number | null
}

/**
 * An analysis on the page. One tab runs its tools; the others show the same and may ask for anything here: what changes
 * the analysis is done by the tab that runs.
 */
export interface OpenAnalysis {
  readonly state: Store<Analysis>
  readonly isLeader: Store<boolean>
  estimate(question: AnalysisQuestion): QuestionEstimate
  /** Resolves when the question was taken; how it goes on is in `state`. */
  ask(question: AnalysisQuestion): Promise<QuarterdeckError | null>
  /** At once: the query, the model, what waits, and steps that run again. */
  cancel(): Promise<void>
  /** To what the person saw, and to nothing else. */
  answerPrompt(to: RunPrompt, answer: string): Promise<void>
  /** Runs it with this code, marks what reads it as stale, and the answer with it. Rejects with `EngineError`. */
  editStep(n: number, code: string): Promise<void>
  restoreStep(n: number): Promise<void>
  /** This step and every later one that reads it. */
  runFrom(n: number): Promise<void>
  /** The rows of `step_n`, at most `maxRows`. */
  rows(n: number, maxRows: number, signal?: AbortSignal): Promise<ReadResult>
  /** The rows of a step become a table of the workspace. */
  useAsTable(n: number, name: string): Promise<void>
  setLevel(level: PrivacyLevel): Promise<void>
  setScope(tables: readonly string[]): Promise<void>
  setTitle(title: string): Promise<void>
  chooseChart(runId: string, index: number, choice: ChartChoice): Promise<void>
  close(): void
}
