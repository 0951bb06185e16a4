// Actions of the user on an analysis, in any tab.
import { type ErrorCode, messageOf, QuarterdeckError } from '@quarterdeck/protocol'
import type { ChartChoice, RunPrompt } from '../../domain/analysis.ts'
import type { AnalysisQuestion } from '../../domain/data-services.ts'
import { EngineError, type EngineProblem } from '../../domain/query-engine.ts'
import type { AnalysisChange } from '../state/analysis-fact.ts'

export type AnalysisAction =
  | { readonly type: 'ask'; readonly question: AnalysisQuestion }
  | { readonly type: 'cancel' }
  | { readonly type: 'answer'; readonly to: RunPrompt; readonly answer: string }
  | { readonly type: 'edit'; readonly n: number; readonly code: string }
  | { readonly type: 'restore'; readonly n: number }
  | { readonly type: 'run-from'; readonly n: number }
  | { readonly type: 'change'; readonly change: AnalysisChange }
  | { readonly type: 'chart'; readonly runId: string; readonly index: number; readonly choice: ChartChoice }

/** Plain data, because it may come from another tab. */
export type ActionOutcome =
  | { readonly kind: 'done' }
  /** Refused by the server or this page. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }
  /** Failed in the engine. */
  | { readonly kind: 'failed'; readonly problem: EngineProblem; readonly message: string }

export function outcomeOf(error: unknown): ActionOutcome {
  if (error instanceof QuarterdeckError) return { kind: 'refused', code: error.code, message: error.message }
  if (error instanceof EngineError) return { kind: 'failed', problem: error.problem, message: error.message }
  return { kind: 'failed', problem: 'sql', message: messageOf(error) }
}

/** The error for the caller, or `null` on success. */
export function errorOf(outcome: ActionOutcome): QuarterdeckError | EngineError | null {
  if (outcome.kind === 'done') return null
  if (outcome.kind === 'refused') return new QuarterdeckError(outcome.code, outcome.message)
  return new EngineError(outcome.problem, outcome.message)
}
