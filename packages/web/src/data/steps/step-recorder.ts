// Records the steps of the tools in the analysis. A call that runs again after a reload or in another tab gets the same
// step.
import type { ClientCallId } from '@quarterdeck/protocol'
import type { AnalysisStep, SentPart } from '../domain/analysis.ts'
import type { StepContent } from '../domain/query-engine.ts'

export interface StepRecorder {
  /** All steps of the analysis, by number. */
  steps(): readonly AnalysisStep[]
  /**
   * Resolves with the number of the step when stored. The same call gets the same number, whatever its first attempt
   * did.
   */
  begin(step: BegunStep): Promise<number>
  /** Resolves when stored. The rows of a successful step are in the engine as `step_n` by then. */
  settle(n: number, outcome: StepOutcome): Promise<void>
  /** Records what is sent to the model, before it is sent. */
  sent(n: number, sent: SentPart): Promise<void>
  /** Afterwards `step_n` of each is in the engine: restored or run again. Rejects if one fails. */
  bring(steps: readonly number[], signal: AbortSignal): Promise<void>
}

/** `reads` of a transform: the first one is its `data`. */
export type BegunStep = Pick<AnalysisStep, 'callId' | 'tool' | 'thought' | 'language' | 'code' | 'reads'> & {
  readonly callId: ClientCallId
}

export type StepOutcome =
  | {
      readonly state: 'ok'
      readonly rowCount: number
      readonly elapsedMs: number
      /** The content of `step_n` in the engine. */
      readonly content: StepContent
      /** Whether no row is a single row of a table: at level 1, results that read it may be shown. */
      readonly isSummary: boolean
    }
  | { readonly state: 'error' | 'cancelled'; readonly error: string | null; readonly elapsedMs: number }
