// What a run of tests comes to. camelCase inside; report-json.ts writes it as other tools read it.
import type { TokenUsage, ToolCallRecord, ToolResultRecord } from '@quarterdeck/protocol'
import type { ToolMatch } from './match-tools.ts'

export interface MetricResult {
  readonly name: string
  /** `null` where it could not be measured. */
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
  /** Not run, because what came before it broke the session. */
  readonly isSkipped: boolean
  readonly toolCalls: readonly ToolCallRecord[]
  readonly toolResults: readonly ToolResultRecord[]
  readonly expectedTools: readonly ToolMatch[]
  readonly metrics: readonly MetricResult[]
  /** What kept it from an answer; `null` when nothing did. */
  readonly error: string | null
  readonly groundTruth: string | null
  readonly durationMs: number
  readonly tokenUsage: TokenUsage
  /** `null` when something in it has no price. */
  readonly costUsd: number | null
  readonly numTurns: number
  readonly retrievalContext: readonly string[]
  readonly structuredOutput: unknown
  /** False: nothing of the agent was ever there. */
  readonly hasRun: boolean
  /** A metric that may not break did. */
  readonly isEvaluationError: boolean
}

export interface CaseResult {
  readonly name: string
  readonly type: 'single' | 'conversation'
  readonly passed: boolean
  readonly sessionId: string | null
  /** One for `single`. */
  readonly turns: readonly TurnResult[]
  /** What went wrong around it and changes nothing about whether it passed. */
  readonly warnings: readonly string[]
}

export interface TestReport {
  readonly agentName: string
  readonly startedAt: string
  readonly durationMs: number
  /** How many were to run. */
  readonly total: number
  /** It was stopped before all of them had. */
  readonly wasInterrupted: boolean
  /** In the order of the file. */
  readonly results: readonly CaseResult[]
}

/** 0 all passed, 1 one failed, 3 an agent could not run at all, 4 a metric broke. */
export function exitCodeOfReport({ results }: TestReport): 0 | 1 | 3 | 4 {
  const turns = results.flatMap((result) => result.turns)
  if (turns.some(({ hasRun, isSkipped }) => !hasRun && !isSkipped)) return 3
  if (turns.some(({ isEvaluationError }) => isEvaluationError)) return 4
  return results.every(({ passed }) => passed) ? 0 : 1
}
