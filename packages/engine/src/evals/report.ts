// The result of a test run. camelCase here; report-json.ts writes the format for other tools.
import type { TokenUsage, ToolCallRecord, ToolResultRecord } from '@quarterdeck/protocol'
import type { ToolMatch } from './match-tools.ts'

export interface MetricResult {
  readonly name: string
  /** `null` if it could not be measured. */
  readonly score: number | null
  readonly passed: boolean
  readonly threshold: number | null
  /** Why it did not pass. */
  readonly reason: string | null
  readonly isBroken: boolean
}

export interface TurnResult {
  readonly input: string
  readonly response: string
  readonly passed: boolean
  /** True if an earlier failure of the session prevented the turn. */
  readonly isSkipped: boolean
  readonly toolCalls: readonly ToolCallRecord[]
  readonly toolResults: readonly ToolResultRecord[]
  readonly expectedTools: readonly ToolMatch[]
  readonly metrics: readonly MetricResult[]
  /** Why there is no answer; `null` if there is one. */
  readonly error: string | null
  readonly groundTruth: string | null
  readonly durationMs: number
  readonly tokenUsage: TokenUsage
  /** `null` if the price of any part is unknown. */
  readonly costUsd: number | null
  readonly numTurns: number
  readonly retrievalContext: readonly string[]
  readonly structuredOutput: unknown
  /** False if the agent process never started. */
  readonly hasRun: boolean
  /** Whether a metric with `failsOnError` could not be computed. */
  readonly isEvaluationError: boolean
}

export interface CaseResult {
  readonly name: string
  readonly type: 'single' | 'conversation'
  readonly passed: boolean
  readonly sessionId: string | null
  /** Exactly one for `single`. */
  readonly turns: readonly TurnResult[]
  /** Failures that do not affect the result. */
  readonly warnings: readonly string[]
}

export interface TestReport {
  readonly agentName: string
  readonly startedAt: string
  readonly durationMs: number
  /** The planned number of cases. */
  readonly total: number
  /** Whether the run was stopped before all cases ran. */
  readonly wasInterrupted: boolean
  /** In the order of the file. */
  readonly results: readonly CaseResult[]
}

/** Exit code: 0 all passed, 1 a case failed, 3 an agent could not run, 4 a metric could not be computed. */
export function exitCodeOfReport({ results }: TestReport): 0 | 1 | 3 | 4 {
  const turns = results.flatMap((result) => result.turns)
  if (turns.some(({ hasRun, isSkipped }) => !hasRun && !isSkipped)) return 3
  if (turns.some(({ isEvaluationError }) => isEvaluationError)) return 4
  return results.every(({ passed }) => passed) ? 0 : 1
}
