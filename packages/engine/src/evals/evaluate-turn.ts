// An answer against everything the test says about it.
import type { AgentDefinition, ExecutionResult } from '@quarterdeck/protocol'
import { emptyResult } from '../backends/empty-result.ts'
import type { Metric, TestTurn } from '../config/agent-tests.ts'
import { matchTools } from './match-tools.ts'
import { measureText } from './measure-text.ts'
import type { MetricResult, TurnResult } from './report.ts'
import { retrievalContext } from './retrieval-context.ts'
import type { TestAnswer } from './test-answer.ts'

export interface Expectation {
  readonly turn: TestTurn
  readonly metrics: readonly Metric[]
  readonly agent: Pick<AgentDefinition, 'tools'>
}

export function evaluateTurn({ turn, metrics, agent }: Expectation, answer: TestAnswer): TurnResult {
  const { result } = answer
  const error = result.isError ? (result.errorReason ?? 'the agent failed') : null
  const expectedTools = matchTools(turn.expectedTools, result.toolCalls, callsThatDidNotRun(answer))
  // Half an answer is not measured: what kept it from being whole is the news.
  const measured = error === null ? measure(metrics, turn, result) : []
  const passed = error === null && expectedTools.every(({ matched }) => matched) && measured.every((one) => one.passed)
  return {
    ...factsOf(turn, answer),
    passed,
    error,
    expectedTools,
    metrics: measured.map(({ mayNotBreak: _, ...metric }) => metric),
    isEvaluationError: measured.some(({ isBroken, mayNotBreak }) => isBroken && mayNotBreak),
    retrievalContext: turn.retrievalContext ?? retrievalContext(agent, result),
  }
}

const callsThatDidNotRun = ({ result, withoutResult }: TestAnswer): ReadonlySet<string> => {
  const answered = new Set(result.toolResults.map(({ callId }) => callId))
  const open = result.toolCalls.map(({ callId }) => callId).filter((callId) => !answered.has(callId))
  return new Set([...withoutResult, ...open])
}

/** What was never asked, because the session broke before or could not be made. */
export function unaskedTurn(turn: TestTurn, error: string | null): TurnResult {
  const answer = { result: emptyResult, durationMs: 0, costUsd: 0, hasRun: false }
  return {
    ...factsOf(turn, answer),
    passed: false,
    error,
    metrics: [],
    isEvaluationError: false,
    isSkipped: error === null,
    expectedTools: matchTools(turn.expectedTools, []),
    retrievalContext: turn.retrievalContext ?? [],
  }
}

function factsOf(
  { input, groundTruth }: TestTurn,
  { result, durationMs, costUsd, hasRun }: Pick<TestAnswer, 'result' | 'durationMs' | 'costUsd' | 'hasRun'>,
) {
  const { response, toolCalls, toolResults, tokenUsage, numTurns, structuredOutput } = result
  return {
    input,
    groundTruth,
    response,
    toolCalls,
    toolResults,
    tokenUsage,
    numTurns,
    durationMs,
    costUsd,
    hasRun,
    structuredOutput: structuredOutput ?? null,
    isSkipped: false,
  }
}

type Measured = MetricResult & { readonly mayNotBreak: boolean }

/** Without ground truth there is nothing to compare with. */
function measure(metrics: readonly Metric[], { groundTruth }: TestTurn, result: ExecutionResult): readonly Measured[] {
  if (groundTruth === null) return []
  return metrics.flatMap((metric) =>
    metric.type === 'other' ? [] : [{ ...measureText(metric, result, groundTruth), mayNotBreak: metric.failsOnError }],
  )
}
