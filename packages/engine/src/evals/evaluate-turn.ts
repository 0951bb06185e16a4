// Evaluates an answer against the expectations of the test.
import { type AgentDefinition, type ExecutionResult, isRetrievalTool } from '@quarterdeck/protocol'
import { emptyResult } from '../backends/empty-result.ts'
import type { Metric, TestTurn } from '../config/agent-tests.ts'
import { toolOf } from '../tool-names/host-tool-names.ts'
import { matchTools } from './match-tools.ts'
import { measureText } from './measure-text.ts'
import type { MetricResult, TurnResult } from './report.ts'
import type { TestAnswer } from './test-session.ts'

export interface Expectation {
  readonly turn: TestTurn
  readonly metrics: readonly Metric[]
  readonly agent: Pick<AgentDefinition, 'tools'>
}

export function evaluateTurn({ turn, metrics, agent }: Expectation, answer: TestAnswer): TurnResult {
  const { result } = answer
  const error = result.isError ? (result.errorReason ?? 'the agent failed') : null
  const expectedTools = matchTools(turn.expectedTools, result.toolCalls, callsThatDidNotRun(answer))
  // A partial answer is not measured: its error is the result.
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

/** The result of a turn that was not sent, because the session failed earlier or could not be created. */
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

/** Without ground truth there is nothing to compare. */
function measure(metrics: readonly Metric[], { groundTruth }: TestTurn, result: ExecutionResult): readonly Measured[] {
  if (groundTruth === null) return []
  return metrics.flatMap((metric) =>
    metric.type === 'other' ? [] : [{ ...measureText(metric, result, groundTruth), mayNotBreak: metric.failsOnError }],
  )
}

/** The results of search tools and of MCP servers marked `is_retrieval`, without failed calls. */
export function retrievalContext(
  { tools }: Pick<AgentDefinition, 'tools'>,
  { toolCalls, toolResults }: Pick<ExecutionResult, 'toolCalls' | 'toolResults'>,
): readonly string[] {
  const isSearch = (name: string) => {
    const tool = toolOf(tools, name)
    return tool !== null && (isRetrievalTool(tool) || (tool.type === 'mcp' && tool.isRetrieval))
  }
  const calls = new Set(toolCalls.filter(({ name }) => isSearch(name)).map(({ callId }) => callId))
  return toolResults.filter(({ callId, isError }) => calls.has(callId) && !isError).map(({ result }) => result)
}
