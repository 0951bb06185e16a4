// Facts that change an analysis, from this page or from the server.
import type { AnalysisEvent, SessionId } from '@quarterdeck/protocol'
import type {
  Analysis,
  AnalysisStep,
  ChartChoice,
  Run,
  RunPrompt,
  SentEntry,
  StepSource,
} from '../../domain/analysis.ts'
import type { AnalysisQuestion } from '../../domain/data-services.ts'
import type { BegunStep, StepOutcome } from '../../steps/step-recorder.ts'

export type AnalysisFact =
  | AskedFact
  | { readonly type: 'question.taken'; readonly runId: string; readonly sessionId: SessionId }
  /** The server no longer has the session: the next question starts a new one. */
  | { readonly type: 'session.lost' }
  /** The server refused it, so it counts as never asked. */
  | { readonly type: 'question.refused'; readonly runId: string }
  | { readonly type: 'run.event'; readonly runId: string; readonly event: AnalysisEvent }
  /** The run is followed again: its events repeat from the start. */
  | { readonly type: 'run.resumed'; readonly runId: string }
  | { readonly type: 'run.cancelled'; readonly runId: string }
  | { readonly type: 'run.failed'; readonly runId: string; readonly failure: NonNullable<Run['failure']> }
  /** `null`: answered or withdrawn. */
  | { readonly type: 'run.prompt'; readonly runId: string; readonly ask: RunPrompt | null }
  | { readonly type: 'step.begun'; readonly runId: string; readonly step: BegunStep; readonly from?: StepSources }
  /** `from`: the current sources of its rows. */
  | { readonly type: 'step.settled'; readonly n: number; readonly outcome: StepOutcome; readonly from?: StepSources }
  /** `null`: the result did not arrive and is created again. */
  | { readonly type: 'step.sent'; readonly n: number; readonly sent: AnalysisStep['sent'] }
  /** The code was edited or restored, but has not run yet. */
  | { readonly type: 'step.edited'; readonly n: number; readonly code: string; readonly reads: readonly number[] }
  | { readonly type: 'steps.stale'; readonly steps: readonly number[] }
  /** Rerunning steps were stopped. */
  | { readonly type: 'steps.stopped'; readonly steps: readonly number[] }
  | { readonly type: 'chart.chosen'; readonly runId: string; readonly index: number; readonly choice: ChartChoice }
  | { readonly type: 'sent'; readonly entry: SentEntry }
  /** The entry was not sent after all. */
  | { readonly type: 'unsent'; readonly entry: SentEntry }
  | { readonly type: 'changed'; readonly change: AnalysisChange }

type StepSources = readonly StepSource[]

export interface AskedFact extends AnalysisQuestion, Pick<Analysis, 'agent' | 'tables'> {
  readonly type: 'question.asked'
  readonly runId: string
}

/** Changes of the analysis as a whole. `tables`: the same tables under other names. */
export type AnalysisChange = Partial<Pick<Analysis, 'tables' | 'title' | 'level' | 'scope'>>
