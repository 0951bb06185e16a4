// One analysis as it is kept and shown. The server's log has the model's side of it; rows are only here.
import type { AnalysisResult, ClientCallId, ModelTier, PrivacyLevel, SessionId } from '@quarterdeck/protocol'
import type { SmallGroups } from './small-groups.ts'

export interface Analysis {
  readonly id: string
  readonly title: string
  readonly createdAt: string
  readonly changedAt: string
  readonly level: PrivacyLevel
  /** Those the next question is about. */
  readonly scope: readonly string[]
  /** The tables the questions so far were about, so that others in their place are noticed. */
  readonly tables: readonly TableRef[]
  /** `null` before the first question. */
  readonly sessionId: SessionId | null
  readonly agent: string | null
  readonly runs: readonly Run[]
  readonly ledger: readonly SentEntry[]
}

export interface TableRef {
  readonly name: string
  readonly fingerprint: string
  readonly rowCount: number
}

/** `waiting`: a person is asked something, for the model or for the rows it wants to see. */
export type RunState = 'running' | 'waiting' | 'done' | 'failed' | 'cancelled'

/** One question and what came of it. */
export interface Run {
  readonly id: string
  readonly question: string
  readonly tier: ModelTier
  readonly thinking: boolean
  readonly state: RunState
  readonly startedAt: string
  /** Since when the server has the question: from then on it goes on there, whatever becomes of this page. */
  readonly takenAt?: string
  readonly endedAt: string | null
  readonly steps: readonly AnalysisStep[]
  /** What the model thought or said between its calls, so far. */
  readonly said: string
  readonly ask: RunPrompt | null
  readonly answer: AnalysisResult | null
  /** The charts of the answer, as people changed them; `null` (or none at all) is as the answer has it. */
  readonly charts: readonly (ChartChoice | null)[]
  readonly failure: { readonly message: string; readonly code: string | null; readonly isRetryable: boolean } | null
}

/** What a person is asked in the middle of a run. */
export type RunPrompt =
  | {
      readonly kind: 'question'
      readonly callId: string
      readonly question: string
      readonly options: readonly string[]
    }
  /** The model would see single rows: allowed once, or it gets counts and names only. */
  | {
      readonly kind: 'rows'
      readonly callId: string
      readonly step: number
      readonly rowCount: number
      /** Where the rows come from, tables and earlier steps, and what is in them; absent in what was kept before. */
      readonly tables?: readonly string[]
      readonly columns?: readonly string[]
      /** Set if the rows are groups that are too small for a summary. */
      readonly smallGroups?: SmallGroups
    }

/** What a person may say to an ask for rows. */
export const rowsAnswers = { allow: 'allow', summary: 'summary' } as const

/** The tools whose results are steps; `ask_user` and `list_tables` leave none. */
export const stepTools = [
  'run_query',
  'get_column_stats',
  'get_value_distribution',
  'transform_data',
  'sample_rows',
] as const
export type StepTool = (typeof stepTools)[number]

export type StepState = 'running' | 'ok' | 'error' | 'cancelled' | 'stale'

export interface AnalysisStep {
  /** Over the whole analysis, from 1: its rows are the view `step_n`. */
  readonly n: number
  /** The same call after a refresh is the same step. */
  readonly callId: ClientCallId
  readonly tool: StepTool
  /** Why, in the model's words. */
  readonly thought: string
  readonly language: 'sql' | 'javascript'
  /** What runs: for tools without a text of their own the SQL they come to. */
  readonly code: string
  /** As the model wrote it. */
  readonly original: string
  /** The steps whose rows it reads. */
  readonly reads: readonly number[]
  readonly state: StepState
  readonly rowCount: number | null
  readonly elapsedMs: number | null
  /** What of it the model got, as it was then: nothing that becomes of the step later changes it. */
  readonly sent: SentPart | null
  readonly error: string | null
  /** No row of it is a single row of a table; absent is no. What decides at level 1. */
  readonly isSummary?: boolean
  /** The tables its rows come from, also through other steps; absent in what was kept before. */
  readonly from?: readonly StepSource[]
  readonly startedAt: string
}

export interface SentPart {
  readonly bytes: number
  readonly rows: number
  /** Absent where nobody judged them, and in what was kept before. */
  readonly rowsKind?: RowsKind
  /** Only what went wrong was sent. */
  readonly isError?: boolean
}

/** What rows that leave are, as they were judged when they left: summaries, or rows of the files. */
export type RowsKind = 'summary' | 'files'

/** A table as it was when rows were taken from it. */
export interface StepSource {
  readonly table: string
  readonly fingerprint: string
  readonly neverSent: readonly string[]
}

/** `step_n` is there; of a stale step as it was. */
export const hasRows = ({ state }: Pick<AnalysisStep, 'state'>): boolean => state === 'ok' || state === 'stale'

export const isEdited = ({ code, original }: AnalysisStep): boolean => code !== original

export interface SentEntry {
  readonly at: string
  readonly what: 'question' | 'result' | 'error' | 'other'
  /** Exactly what left, as it left. */
  readonly body: string
  readonly bytes: number
  /** Rows of data in it, summary rows included. */
  readonly rows: number
  /** Absent where nobody judged them, where there are none, and in what was kept before. */
  readonly rowsKind?: RowsKind
  readonly level: PrivacyLevel
  /** Of results: which step. */
  readonly step: number | null
}

export const chartAggregates = ['none', 'sum', 'mean', 'count', 'min', 'max'] as const
export const chartOrders = ['none', 'x', 'y-down', 'y-up'] as const

export interface ChartChoice {
  readonly sourceStep: number
  readonly type: AnalysisResult['chartType']
  readonly x: string | null
  readonly y: readonly string[]
  readonly series: string | null
  readonly aggregate: (typeof chartAggregates)[number]
  readonly order: (typeof chartOrders)[number]
  /** The first so many marks; the rest of them becomes "other" where it can be added up. */
  readonly limit: number | null
  readonly title: string | null
}
