// A turn as spans, made of its events: `invoke_agent` around it, `chat` for each model request, `execute_tool` for each
// call, and the same inside its subagents. Names are those of OpenTelemetry's conventions for generative AI; what they do
// not know begins with `quarterdeck.`.
import {
  type AgentPath,
  addTokens,
  type EventOfType,
  type SessionEvent,
  type TokenCounts,
  type TurnId,
} from '@quarterdeck/protocol'
import { messageAttributes, resultAttributes } from './captured-content.ts'
import { type Attributes, attributesOf, type Span, spanIdOf, traceIdOf } from './span.ts'

export interface TurnAbout {
  readonly turnId: TurnId
  readonly startedAt: number
  readonly model: string
  readonly agentName: string
  readonly sessionId: string
  /** By the conventions' names. */
  readonly provider: string
  /** What the turn was started with; `null` where content stays out of traces. */
  readonly said: readonly string[] | null
}

export interface TurnSpans {
  /** The spans that are over with this event. `requestedAt`: when the model request it books went out, if that is known. */
  hear(event: SessionEvent, requestedAt?: number): readonly Span[]
}

type Usage = EventOfType<'UsageRecorded'>

interface OpenCall {
  readonly event: EventOfType<'AgentInvokedTool'>
  waitedMs: number
  decision: string | null
}

const noTokens: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function createTurnSpans(turn: TurnAbout): TurnSpans {
  const { turnId } = turn
  const capturesContent = turn.said !== null
  const calls = new Map<string, OpenCall>()
  const asked = new Map<string, { readonly toolUseId: string; readonly since: number }>()
  const subagents = new Map<string, EventOfType<'SubagentStarted'>>()
  const startedSubagents = new Set<string>()
  const agentOfMessage = new Map<string, AgentPath>()
  /** Booked before the message that names its agent came. */
  const unplaced = new Map<string, { readonly usage: Usage; readonly startedAt: number }>()
  let lastWords = ''
  let tokens = noTokens
  let costUsd: number | null = null
  /** Where a request that nobody saw going out began at the earliest. */
  let lastEnd = turn.startedAt

  const common = { 'gen_ai.conversation.id': turn.sessionId, 'gen_ai.provider.name': turn.provider }

  /** The agent's own span; before it was announced, the call that made it. */
  function parentOf(agent: AgentPath): string {
    const last = agent?.at(-1)
    if (last === undefined) return spanIdOf(turnId, 'turn')
    return startedSubagents.has(last) ? spanIdOf(turnId, 'agent', last) : spanIdOf(turnId, 'tool', last)
  }

  const span = (
    one: Pick<Span, 'spanId' | 'parentSpanId' | 'name' | 'kind' | 'startedAt' | 'endedAt' | 'isError'>,
    attributes: Attributes,
  ): Span => ({
    traceId: traceIdOf(turnId),
    ...one,
    attributes,
  })

  function chat({ data, at }: Usage, agent: AgentPath, startedAt: number): Span {
    return span(
      {
        spanId: spanIdOf(turnId, 'chat', data.apiMessageId),
        parentSpanId: parentOf(agent),
        name: `chat ${data.model}`,
        ...{ kind: 'client', startedAt, endedAt: timeOf(at), isError: false },
      },
      attributesOf({
        'gen_ai.operation.name': 'chat',
        ...common,
        'gen_ai.request.model': data.model,
        'gen_ai.response.model': data.servedModel,
        'gen_ai.response.id': data.apiMessageId,
        ...tokenAttributes(data.tokens),
        'quarterdeck.cost.usd': data.costUsd,
      }),
    )
  }

  function book(usage: Usage, requestedAt: number | undefined): readonly Span[] {
    const { data, at } = usage
    tokens = addTokens(tokens, data.tokens)
    if (data.costUsd !== null) costUsd = (costUsd ?? 0) + data.costUsd
    const startedAt = requestedAt ?? Math.min(lastEnd, timeOf(at))
    lastEnd = timeOf(at)
    const agent = agentOfMessage.get(data.apiMessageId)
    if (agent !== undefined) return [chat(usage, agent, startedAt)]
    unplaced.set(data.apiMessageId, { usage, startedAt })
    return []
  }

  function place(messageId: string, agent: AgentPath): readonly Span[] {
    agentOfMessage.set(messageId, agent)
    const booked = unplaced.get(messageId)
    unplaced.delete(messageId)
    return booked === undefined ? [] : [chat(booked.usage, agent, booked.startedAt)]
  }

  function endCall(call: OpenCall, endedAt: number, executed: EventOfType<'ToolExecuted'> | null): Span {
    const { agent, data, at } = call.event
    calls.delete(data.toolUseId)
    const errorType = executed === null ? 'unfinished' : errorOf(executed.data)
    return span(
      {
        spanId: spanIdOf(turnId, 'tool', data.toolUseId),
        parentSpanId: parentOf(agent),
        name: `execute_tool ${data.toolName}`,
        ...{ kind: 'internal', startedAt: timeOf(at), endedAt, isError: errorType !== null },
      },
      attributesOf({
        'gen_ai.operation.name': 'execute_tool',
        ...common,
        'gen_ai.tool.name': data.toolName,
        'gen_ai.tool.call.id': data.toolUseId,
        'error.type': errorType,
        'quarterdeck.tool.duration_ms': executed?.data.durationMs,
        'quarterdeck.approval.wait_ms': call.decision === null ? null : call.waitedMs,
        'quarterdeck.approval.decision': call.decision,
        ...(capturesContent ? resultAttributes(data.toolInput, executed?.data) : {}),
      }),
    )
  }

  function settle(approvalId: string, at: string, decision: string): readonly Span[] {
    const wait = asked.get(approvalId)
    const call = wait === undefined ? undefined : calls.get(wait.toolUseId)
    if (wait !== undefined && call !== undefined) {
      call.waitedMs += timeOf(at) - wait.since
      call.decision = decision
    }
    asked.delete(approvalId)
    return []
  }

  function endSubagent(
    { agent, data, at }: EventOfType<'SubagentStarted'>,
    endedAt: number,
    errorType: string | null,
  ): Span {
    subagents.delete(data.parentToolUseId)
    return span(
      {
        spanId: spanIdOf(turnId, 'agent', data.parentToolUseId),
        parentSpanId: spanIdOf(turnId, 'tool', data.parentToolUseId),
        name: `invoke_agent ${data.agentType}`,
        ...{ kind: 'internal', startedAt: timeOf(at), endedAt, isError: errorType !== null },
      },
      attributesOf({
        'gen_ai.operation.name': 'invoke_agent',
        ...common,
        'gen_ai.agent.name': data.agentType,
        'gen_ai.agent.id': data.agentId,
        'error.type': errorType,
        'quarterdeck.agent.depth': agent?.length,
      }),
    )
  }

  function endTurn({ data, at }: EventOfType<'TurnEnded'>): readonly Span[] {
    const endedAt = timeOf(at)
    const isError = data.outcome !== 'completed' && data.outcome !== 'interrupted'
    const left = [
      ...[...unplaced.values()].map(({ usage, startedAt }) => chat(usage, null, startedAt)),
      ...[...subagents.values()].map((subagent) => endSubagent(subagent, endedAt, 'unfinished')),
      ...[...calls.values()].map((call) => endCall(call, endedAt, null)),
    ]
    unplaced.clear()
    const whole = span(
      {
        spanId: spanIdOf(turnId, 'turn'),
        parentSpanId: null,
        name: `invoke_agent ${turn.agentName}`,
        ...{ kind: 'internal', startedAt: turn.startedAt, endedAt, isError },
      },
      attributesOf({
        'gen_ai.operation.name': 'invoke_agent',
        ...common,
        'gen_ai.agent.name': turn.agentName,
        'gen_ai.request.model': turn.model,
        ...tokenAttributes(tokens),
        'error.type': isError ? data.outcome : null,
        'quarterdeck.turn.id': turnId,
        'quarterdeck.turn.outcome': data.outcome,
        'quarterdeck.cost.usd': costUsd,
        ...(turn.said === null ? {} : messageAttributes(turn.said, lastWords)),
      }),
    )
    return [...left, whole]
  }

  return {
    hear(event, requestedAt) {
      switch (event.type) {
        case 'AgentThought':
          if (event.agent === null) lastWords = event.data.text
          return place(event.data.messageId, event.agent)
        case 'AgentThinking':
        case 'SubagentThought':
          return place(event.data.messageId, event.agent)
        case 'AgentInvokedTool':
          calls.set(event.data.toolUseId, { event, waitedMs: 0, decision: null })
          return place(event.data.messageId, event.agent)
        case 'ToolExecuted': {
          const call = calls.get(event.data.toolUseId)
          lastEnd = timeOf(event.at)
          return call === undefined ? [] : [endCall(call, lastEnd, event)]
        }
        case 'ApprovalRequested':
          asked.set(event.data.approvalId, { toolUseId: event.data.toolUseId, since: timeOf(event.at) })
          return []
        case 'ApprovalDecided':
          return settle(event.data.approvalId, event.at, event.data.decision)
        case 'ApprovalExpired':
          return settle(event.data.approvalId, event.at, 'expired')
        case 'SubagentStarted':
          startedSubagents.add(event.data.parentToolUseId)
          subagents.set(event.data.parentToolUseId, event)
          return []
        case 'SubagentStopped': {
          const subagent = subagents.get(event.data.parentToolUseId)
          return subagent === undefined
            ? []
            : [endSubagent(subagent, timeOf(event.at), event.data.isError ? 'failed' : null)]
        }
        case 'UsageRecorded':
          return book(event, requestedAt)
        case 'TurnEnded':
          return endTurn(event)
        default:
          return []
      }
    },
  }
}

const timeOf = (at: string): number => Date.parse(at)

/** The conventions count cached tokens among those of the input. */
const tokenAttributes = ({ input, output, cacheRead, cacheWrite }: TokenCounts) => ({
  'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
  'gen_ai.usage.output_tokens': output,
  'gen_ai.usage.cache_read.input_tokens': cacheRead,
  'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
})

function errorOf({ isError, withoutResult }: EventOfType<'ToolExecuted'>['data']): string | null {
  if (withoutResult === true) return 'not_executed'
  return isError ? 'tool_error' : null
}
