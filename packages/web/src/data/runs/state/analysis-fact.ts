// What happens to an analysis, told here or by the server.
import type { AnalysisEvent, ModelTier, PrivacyLevel, SessionId } from '@quarterdeck/protocol'
import type {
  AnalysisStep,
  ChartChoice,
  Run,
  RunPrompt,
  SentEntry,
  StepSource,
  TableRef,
} from '../../domain/analysis.ts'
import type { BegunStep, StepOutcome } from '../../steps/step-recorder.ts'

export type AnalysisFact =
  | AskedFact
  | { readonly type: 'question.taken'; readonly runId: string; readonly sessionId: SessionId }
  /** The server does not have it any more: the next question begins a new one. */
  | { readonly type: 'session.lost' }
  /** The server did not take it: it was never asked. */
  | { readonly type: 'question.refused'; readonly runId: string }
  | { readonly type: 'run.told'; readonly runId: string; readonly event: AnalysisEvent }
  /** Somebody comes back to it: what it said is told again from the start. */
  | { readonly type: 'run.resumed'; readonly runId: string }
  | { readonly type: 'run.cancelled'; readonly runId: string }
  | { readonly type: 'run.failed'; readonly runId: string; readonly failure: NonNullable<Run['failure']> }
  /** `null`: it was answered, or nobody wants to know any more. */
  | { readonly type: 'run.asks'; readonly runId: string; readonly ask: RunPrompt | null }
  | { readonly type: 'step.begun'; readonly runId: string; readonly step: BegunStep; readonly from?: StepSources }
  /** `from`: where its rows come from now. */
  | { readonly type: 'step.settled'; readonly n: number; readonly outcome: StepOutcome; readonly from?: StepSources }
  /** `null`: what was made of it did not arrive, and is made anew. */
  | { readonly type: 'step.sent'; readonly n: number; readonly sent: AnalysisStep['sent'] }
  /** Somebody wrote other code for it, or put the first one back. It has not run yet. */
  | { readonly type: 'step.edited'; readonly n: number; readonly code: string; readonly reads: readonly number[] }
  | { readonly type: 'steps.stale'; readonly steps: readonly number[] }
  /** They ran again, and somebody stopped them or left. */
  | { readonly type: 'steps.stopped'; readonly steps: readonly number[] }
  | { readonly type: 'chart.chosen'; readonly runId: string; readonly index: number; readonly choice: ChartChoice }
  | { readonly type: 'sent'; readonly entry: SentEntry }
  /** It was about to leave, and did not. */
  | { readonly type: 'unsent'; readonly entry: SentEntry }
  | { readonly type: 'changed'; readonly change: AnalysisChange }

type StepSources = readonly StepSource[]

export interface AskedFact {
  readonly type: 'question.asked'
  readonly runId: string
  readonly question: string
  readonly tier: ModelTier
  readonly thinking: boolean
  readonly agent: string | null
  readonly tables: readonly TableRef[]
}

/** What people say about an analysis as a whole. */
export interface AnalysisChange {
  /** With other names: they are the same tables. */
  readonly tables?: readonly TableRef[]
  readonly title?: string
  readonly level?: PrivacyLevel
  readonly scope?: readonly string[]
}
