// The report for other programs: snake_case, every field always present.
import { executionResultToJson, type TokenUsage } from '@quarterdeck/protocol'
import { emptyResult } from '../backends/empty-result.ts'
import type { ArgumentMatcher } from '../config/agent-tests.ts'
import type { ToolMatch } from './match-tools.ts'
import type { CaseResult, MetricResult, TestReport, TurnResult } from './report.ts'

export function reportJson(report: TestReport) {
  const { results } = report
  const passed = results.filter((result) => result.passed).length
  return {
    agent: report.agentName,
    started_at: report.startedAt,
    summary: {
      total: report.total,
      passed,
      failed: results.length - passed,
      not_run: report.total - results.length,
      interrupted: report.wasInterrupted,
      duration_ms: Math.round(report.durationMs),
      cost_usd: costOfTurns(results.flatMap(({ turns }) => turns)),
    },
    results: results.map(caseJson),
  }
}

/** `null` if the price of any part is unknown. */
export function costOfTurns(turns: readonly Pick<TurnResult, 'costUsd'>[]): number | null {
  let sum = 0
  for (const { costUsd } of turns) {
    if (costUsd === null) return null
    sum += costUsd
  }
  return sum
}

/** A conversation as a whole: the last answer, all tool calls, each metric once. */
function caseJson({ name, type, sessionId, passed, turns, warnings }: CaseResult) {
  const last = turns.at(-1)
  const isConversation = type === 'conversation'
  return {
    test_name: name,
    passed,
    session_id: sessionId,
    input: turns.map(({ input }) => input).join('\n---\n'),
    response: last?.response ?? '',
    ground_truth: isConversation ? null : (last?.groundTruth ?? null),
    tool_calls: turns.flatMap(toolCallsJson),
    metrics: (isConversation ? rollUp(turns) : turns.flatMap(({ metrics }) => metrics)).map(metricJson),
    expected_tools: turns.flatMap(({ expectedTools }) => expectedTools.map(expectedToolJson)),
    tools_matched: toolsMatched(turns.flatMap(({ expectedTools }) => expectedTools)),
    error: errorOf(turns, isConversation),
    warnings,
    duration_ms: Math.round(turns.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    token_usage: usageJson(turns.map(({ tokenUsage }) => tokenUsage)),
    cost_usd: costOfTurns(turns),
    num_turns: turns.reduce((sum, { numTurns }) => sum + numTurns, 0),
    retrieval_context: turns.flatMap(({ retrievalContext }) => retrievalContext),
    structured_output: last?.structuredOutput ?? null,
    turns: isConversation ? turns.map(turnJson) : [],
  }
}

const turnJson = (turn: TurnResult) => ({
  input: turn.input,
  response: turn.response,
  passed: turn.passed,
  skipped: turn.isSkipped,
  ground_truth: turn.groundTruth,
  tool_calls: toolCallsJson(turn),
  metrics: turn.metrics.map(metricJson),
  expected_tools: turn.expectedTools.map(expectedToolJson),
  tools_matched: toolsMatched(turn.expectedTools),
  error: turn.error,
  duration_ms: Math.round(turn.durationMs),
  token_usage: usageJson([turn.tokenUsage]),
  cost_usd: turn.costUsd,
  num_turns: turn.numTurns,
  retrieval_context: turn.retrievalContext,
  structured_output: turn.structuredOutput ?? null,
})

const toolCallsJson = ({ toolCalls, toolResults }: TurnResult) =>
  toolCalls.map(({ name, arguments: given, callId }) => {
    const result = toolResults.find((entry) => entry.callId === callId)
    return {
      name,
      arguments: given,
      call_id: callId,
      result: result?.result ?? null,
      is_error: result?.isError ?? null,
    }
  })

const metricJson = ({ name, score, passed, threshold, reason, isBroken }: MetricResult) => ({
  name,
  score,
  passed,
  threshold,
  reason,
  error: isBroken ? reason : null,
})

const expectedToolJson = ({ expected, matched, reason }: ToolMatch) => ({
  name: expected.name,
  args: Object.fromEntries(Object.entries(expected.args).map(([name, matcher]) => [name, matcherJson(matcher)])),
  count: expected.count,
  matched,
  reason,
})

function matcherJson(matcher: ArgumentMatcher): unknown {
  switch (matcher.type) {
    case 'literal':
      return matcher.value
    case 'fuzzy':
      return { fuzzy: matcher.text }
    case 'regex':
      return { regex: matcher.text }
  }
}

const toolsMatched = (matches: readonly ToolMatch[]): boolean | null =>
  matches.length === 0 ? null : matches.every(({ matched }) => matched)

function errorOf(turns: readonly TurnResult[], isConversation: boolean): string | null {
  const errors = turns.flatMap(({ error }, index) =>
    error === null ? [] : [isConversation ? `[turn ${index + 1}] ${error}` : error],
  )
  return errors.length === 0 ? null : errors.join('\n')
}

/** Each metric once: the mean of the measured scores; passed if it passed in every turn. */
function rollUp(turns: readonly TurnResult[]): readonly MetricResult[] {
  const all = turns.flatMap((turn, index) => turn.metrics.map((metric) => ({ metric, place: `[turn ${index + 1}]` })))
  return [...new Set(all.map(({ metric }) => metric.name))].map((name) => {
    const entries = all.filter(({ metric }) => metric.name === name)
    const scores = entries.flatMap(({ metric }) => (metric.score === null ? [] : [metric.score]))
    const reasons = entries.flatMap(({ metric, place }) =>
      metric.reason === null ? [] : [`${place} ${metric.reason}`],
    )
    const thresholds = [...new Set(entries.map(({ metric }) => metric.threshold))]
    return {
      name,
      score: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
      passed: entries.every(({ metric }) => metric.passed),
      threshold: thresholds.length === 1 ? (thresholds[0] ?? null) : null,
      reason: reasons.length === 0 ? null : reasons.join('\n'),
      isBroken: entries.some(({ metric }) => metric.isBroken),
    }
  })
}

function usageJson(usages: readonly TokenUsage[]) {
  const sum = (count: keyof TokenUsage) => usages.reduce((total, usage) => total + usage[count], 0)
  const tokenUsage = {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadInputTokens: sum('cacheReadInputTokens'),
    cacheCreationInputTokens: sum('cacheCreationInputTokens'),
  }
  return executionResultToJson({ ...emptyResult, tokenUsage }).token_usage
}
