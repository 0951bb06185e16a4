// An analysis as it is stored and shown. The server's log has the model's side; rows exist only in this browser.
import type {
  AnalysisResult,
  BrowserTool,
  ClientCallId,
  ModelTier,
  PrivacyLevel,
  SessionId,
} from '@quarterdeck/protocol'
import type { SmallGroups } from './small-groups.ts'

export interface Analysis {
  readonly id: string
  readonly title: string
  readonly createdAt: string
  readonly changedAt: string
  readonly level: PrivacyLevel
  /** The tables that the next question uses. */
  readonly scope: readonly string[]
  /** The tables of the questions so far, to detect replaced tables. */
  readonly tables: readonly TableRef[]
  /** `null` before the first question. */
  readonly sessionId: SessionId | null
  readonly agent: string | null
  readonly runs: readonly Run[]
  readonly sent: readonly SentEntry[]
}

export interface TableRef {
  readonly name: string
  readonly fingerprint: string
  readonly rowCount: number
}

/** `waiting`: the user must answer a question of the model or allow rows. */
export type RunState = 'running' | 'waiting' | 'done' | 'failed' | 'cancelled'

/** One question and its result. */
export interface Run {
  readonly id: string
  readonly question: string
  readonly tier: ModelTier
  readonly thinking: boolean
  readonly state: RunState
  readonly startedAt: string
  /** When the server accepted the question. From then on it continues there, even if this page closes. */
  readonly takenAt?: string
  readonly endedAt: string | null
  readonly steps: readonly AnalysisStep[]
  /** Text of the model between its calls, so far. */
  readonly said: string
  readonly ask: RunPrompt | null
  readonly answer: AnalysisResult | null
  /** The charts as changed by the user; `null` or absent means unchanged. */
  readonly charts: readonly (ChartChoice | null)[]
  readonly failure: { readonly message: string; readonly code: string | null; readonly isRetryable: boolean } | null
}

/** A prompt to the user during a run. */
export type RunPrompt =
  | ({ readonly kind: 'question' } & PromptedQuestion)
  | ({ readonly kind: 'rows' } & StoredRowsPrompt)

export interface PromptedQuestion {
  readonly callId: string
  readonly question: string
  readonly options: readonly string[]
}

/** The model asks to see single rows. If refused, it gets only counts and names. */
interface StoredRowsPrompt {
  readonly callId: string
  readonly step: number
  readonly rowCount: number
  /** The tables and earlier steps that the rows come from, and their columns. Absent in old records. */
  readonly tables?: readonly string[]
  readonly columns?: readonly string[]
  /** Set if the rows are groups that are too small for a summary. */
  readonly smallGroups?: SmallGroups
}

/** A new prompt always has tables and columns. */
export interface PromptedRows extends StoredRowsPrompt {
  readonly tables: readonly string[]
  readonly columns: readonly string[]
}

/** The possible answers to a prompt for rows. */
export const rowsAnswers = { allow: 'allow', summary: 'summary' } as const

/** Tools whose results are steps. */
export type StepTool = Exclude<BrowserTool, 'ask_user' | 'list_tables'>

export type StepState = 'running' | 'ok' | 'error' | 'cancelled' | 'stale'

export interface AnalysisStep {
  /** Counts from 1 over the whole analysis. Its rows are the view `step_n`. */
  readonly n: number
  /** The same call after a reload is the same step. */
  readonly callId: ClientCallId
  readonly tool: StepTool
  /** The reason, in the model's words. */
  readonly thought: string
  readonly language: 'sql' | 'javascript'
  /** The code that runs. Tools without their own code have the SQL they generate. */
  readonly code: string
  /** The code as the model wrote it. */
  readonly original: string
  /** The steps that it reads. */
  readonly reads: readonly number[]
  readonly state: StepState
  readonly rowCount: number | null
  readonly elapsedMs: number | null
  /** What the model received. Later changes of the step do not change it. */
  readonly sent: SentPart | null
  readonly error: string | null
  /** Whether no row is a single row of a table; absent means false. Decides whether level 1 needs consent. */
  readonly isSummary?: boolean
  /** The tables that its rows come from, directly or through steps. Absent in old records. */
  readonly from?: readonly StepSource[]
  readonly startedAt: string
}

export interface SentPart {
  readonly bytes: number
  readonly rows: number
  /** Absent if not judged, and in old records. */
  readonly rowsKind?: RowsKind
  /** Only an error was sent. */
  readonly isError?: boolean
}

/** The kind of sent rows, as judged when they were sent: summaries, or rows of the files. */
export type RowsKind = 'summary' | 'files'

/** A table at the time rows were read from it. */
export interface StepSource {
  readonly table: string
  readonly fingerprint: string
  readonly neverSent: readonly string[]
}

/** Whether `step_n` exists. A stale step keeps its old rows. */
export const hasRows = ({ state }: Pick<AnalysisStep, 'state'>): boolean => state === 'ok' || state === 'stale'

/** Whether the question has no result yet. */
export const isOpenRun = ({ state }: Run): boolean => state === 'running' || state === 'waiting'

export const isEdited = ({ code, original }: AnalysisStep): boolean => code !== original

export interface SentEntry {
  readonly at: string
  readonly what: 'question' | 'result' | 'error' | 'other'
  /** The exact bytes that were sent. */
  readonly body: string
  readonly bytes: number
  /** Rows of data, including summary rows. */
  readonly rows: number
  /** Absent if not judged, without rows, and in old records. */
  readonly rowsKind?: RowsKind
  readonly level: PrivacyLevel
  /** The step of a result. */
  readonly step: number | null
}

export interface ChartChoice {
  readonly sourceStep: number
  readonly type: AnalysisResult['chartType']
  readonly x: string | null
  readonly y: readonly string[]
  readonly series: string | null
  readonly aggregate: 'none' | 'sum' | 'mean' | 'count' | 'min' | 'max'
  readonly order: 'none' | 'x' | 'y-down' | 'y-up'
  /** The number of marks. Remaining values become "other" if they can be added up. */
  readonly limit: number | null
  readonly title: string | null
}
