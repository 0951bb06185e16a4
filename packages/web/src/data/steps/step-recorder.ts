// Where the tools write down what they do. It is kept with the analysis, so that a call that runs again after a refresh
// or in another tab is the same step again.
import type { ClientCallId } from '@quarterdeck/protocol'
import type { AnalysisStep, SentPart } from '../domain/analysis.ts'
import type { StepContent } from '../domain/query-engine.ts'

export interface StepRecorder {
  /** Of the whole analysis, by number. */
  steps(): readonly AnalysisStep[]
  /**
   * Resolves with the number of the step when that is stored: the same call gets the same number, whatever became of its
   * first try.
   */
  begin(step: BegunStep): Promise<number>
  /** Resolves when it is stored. The rows of a good step are in the engine as `step_n` by then. */
  settle(n: number, outcome: StepOutcome): Promise<void>
  /** What of it goes to the model now: told before it goes. */
  sent(n: number, sent: SentPart): Promise<void>
  /** After it `step_n` of each is in the engine: kept rows come back, others are found again. Rejects where one cannot. */
  bring(steps: readonly number[], signal: AbortSignal): Promise<void>
}

/** `reads` of a transform: the first is the one it gets as `data`. */
export type BegunStep = Pick<AnalysisStep, 'callId' | 'tool' | 'thought' | 'language' | 'code' | 'reads'> & {
  readonly callId: ClientCallId
}

export type StepOutcome =
  | {
      readonly state: 'ok'
      readonly rowCount: number
      readonly elapsedMs: number
      /** What the engine keeps as `step_n`. */
      readonly content: StepContent
      /** No row of it is a single row of a table: at level 1 whatever reads it may be shown. */
      readonly isSummary: boolean
    }
  | { readonly state: 'error' | 'cancelled'; readonly error: string | null; readonly elapsedMs: number }
