// The spans of a turn: the turn itself, its subagents, its model requests and its tool calls.
import type { EventOfType, TokenCounts, TurnId } from '@quarterdeck/protocol'
import { messageAttributes, resultAttributes } from './captured-content.ts'
import { type AttributeValue, attributesOf, type Span, spanIdOf, traceIdOf } from './span.ts'

export interface TracedTurn {
  readonly turnId: TurnId
  readonly startedAt: number
  readonly model: string
  readonly agentName: string
  readonly sessionId: string
  /** By the names of the conventions. */
  readonly provider: string
  /** The user messages of the turn, still growing while it runs; `null` if content is not captured. */
  readonly userMessages: readonly string[] | null
}

/** One operation of a turn. */
interface TurnSpanFields extends Pick<Span, 'spanId' | 'parentSpanId' | 'name' | 'kind' | 'startedAt' | 'endedAt'> {
  readonly operation: 'invoke_agent' | 'chat' | 'execute_tool'
  /** The kind of failure; `null` if there is none. */
  readonly errorType: string | null
  readonly attributes: Readonly<Record<string, AttributeValue | null | undefined>>
}

function spanOfTurn(turn: TracedTurn, { operation, errorType, attributes, ...fields }: TurnSpanFields): Span {
  return {
    traceId: traceIdOf(turn.turnId),
    ...fields,
    isError: errorType !== null,
    attributes: attributesOf({
      'gen_ai.operation.name': operation,
      'gen_ai.conversation.id': turn.sessionId,
      'gen_ai.provider.name': turn.provider,
      'error.type': errorType,
      ...attributes,
    }),
  }
}

export const timeOf = (at: string): number => Date.parse(at)

/** The conventions count cached tokens as input tokens. */
const tokenAttributes = ({ input, output, cacheRead, cacheWrite }: TokenCounts) => ({
  'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
  'gen_ai.usage.output_tokens': output,
  'gen_ai.usage.cache_read.input_tokens': cacheRead,
  'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
})

export interface TurnTotals {
  readonly tokens: TokenCounts
  readonly costUsd: number | null
  /** The last message of the agent itself. */
  readonly lastAnswerText: string
}

export const turnSpanId = (turn: TracedTurn): string => spanIdOf(turn.turnId, 'turn')

export const subagentSpanId = (turn: TracedTurn, toolUseId: string): string => spanIdOf(turn.turnId, 'agent', toolUseId)

export function subagentSpan(
  turn: TracedTurn,
  { agent, data, at }: EventOfType<'SubagentStarted'>,
  { endedAt, errorType }: { readonly endedAt: number; readonly errorType: string | null },
): Span {
  return spanOfTurn(turn, {
    operation: 'invoke_agent',
    kind: 'internal',
    name: `invoke_agent ${data.agentType}`,
    errorType,
    spanId: subagentSpanId(turn, data.parentToolUseId),
    parentSpanId: toolSpanId(turn, data.parentToolUseId),
    startedAt: timeOf(at),
    endedAt,
    attributes: {
      'gen_ai.agent.name': data.agentType,
      'gen_ai.agent.id': data.agentId,
      'quarterdeck.agent.depth': agent?.length,
    },
  })
}

export function turnSpan(turn: TracedTurn, { data, at }: EventOfType<'TurnEnded'>, totals: TurnTotals): Span {
  const isError = data.outcome !== 'completed' && data.outcome !== 'interrupted'
  return spanOfTurn(turn, {
    operation: 'invoke_agent',
    kind: 'internal',
    name: `invoke_agent ${turn.agentName}`,
    spanId: turnSpanId(turn),
    parentSpanId: null,
    startedAt: turn.startedAt,
    endedAt: timeOf(at),
    errorType: isError ? data.outcome : null,
    attributes: {
      'gen_ai.agent.name': turn.agentName,
      'gen_ai.request.model': turn.model,
      ...tokenAttributes(totals.tokens),
      'quarterdeck.turn.id': turn.turnId,
      'quarterdeck.turn.outcome': data.outcome,
      'quarterdeck.cost.usd': totals.costUsd,
      ...(turn.userMessages === null ? {} : messageAttributes(turn.userMessages, totals.lastAnswerText)),
    },
  })
}

export interface UnfinishedToolCall {
  readonly event: EventOfType<'AgentInvokedTool'>
  waitedMs: number
  decision: string | null
}

export interface CallEnd {
  readonly endedAt: number
  /** `null` if the turn ended before the call. */
  readonly executed: EventOfType<'ToolExecuted'>['data'] | null
  readonly parentSpanId: string
}

export const toolSpanId = (turn: TracedTurn, toolUseId: string): string => spanIdOf(turn.turnId, 'tool', toolUseId)

export function toolSpan(
  turn: TracedTurn,
  { event: { data, at }, waitedMs, decision }: UnfinishedToolCall,
  { endedAt, executed, parentSpanId }: CallEnd,
): Span {
  return spanOfTurn(turn, {
    operation: 'execute_tool',
    kind: 'internal',
    name: `execute_tool ${data.toolName}`,
    spanId: toolSpanId(turn, data.toolUseId),
    parentSpanId,
    startedAt: timeOf(at),
    endedAt,
    errorType: executed === null ? 'unfinished' : errorOf(executed),
    attributes: {
      'gen_ai.tool.name': data.toolName,
      'gen_ai.tool.call.id': data.toolUseId,
      'quarterdeck.tool.duration_ms': executed?.durationMs,
      'quarterdeck.approval.wait_ms': decision === null ? null : waitedMs,
      'quarterdeck.approval.decision': decision,
      ...(turn.userMessages === null ? {} : resultAttributes(data.toolInput, executed ?? undefined)),
    },
  })
}

function errorOf({ isError, withoutResult }: EventOfType<'ToolExecuted'>['data']): string | null {
  if (withoutResult === true) return 'not_executed'
  return isError ? 'tool_error' : null
}

export interface BookedRequest {
  readonly usage: EventOfType<'UsageRecorded'>
  readonly startedAt: number
}

export function chatSpan(turn: TracedTurn, { usage, startedAt }: BookedRequest, parentSpanId: string): Span {
  const { data, at } = usage
  return spanOfTurn(turn, {
    operation: 'chat',
    kind: 'client',
    name: `chat ${data.model}`,
    errorType: null,
    spanId: spanIdOf(turn.turnId, 'chat', data.apiMessageId),
    parentSpanId,
    startedAt,
    endedAt: timeOf(at),
    attributes: {
      'gen_ai.request.model': data.model,
      'gen_ai.response.model': data.servedModel,
      'gen_ai.response.id': data.apiMessageId,
      ...tokenAttributes(data.tokens),
      'quarterdeck.cost.usd': data.costUsd,
    },
  })
}
