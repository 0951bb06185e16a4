// A turn as spans, built from its events: `invoke_agent` around it, `chat` for each model request, `execute_tool` for
// each call, and the same inside its subagents. Names follow OpenTelemetry's conventions for generative AI; other names
// start with `quarterdeck.`.
import type { AgentPath, EventOfType, SessionEvent } from '@quarterdeck/protocol'
import { subagentSpan, subagentSpanId, turnSpan, turnSpanId } from './agent-spans.ts'
import { type AssignedRequest, createBookedRequests } from './booked-requests.ts'
import { chatSpan } from './chat-span.ts'
import { createOpenCalls, type UnfinishedToolCall } from './open-calls.ts'
import type { Span } from './span.ts'
import { type TracedTurn, timeOf } from './span-of-turn.ts'
import { toolSpan, toolSpanId } from './tool-span.ts'

export interface TurnSpans {
  /** The spans that end with this event. `requestedAt`: when the booked model request was sent, if known. */
  observe(event: SessionEvent, requestedAt?: number): readonly Span[]
}

/** The open parts of a turn. */
interface TurnState {
  readonly turn: TracedTurn
  readonly calls: ReturnType<typeof createOpenCalls>
  readonly requests: ReturnType<typeof createBookedRequests>
  readonly subagents: Map<string, EventOfType<'SubagentStarted'>>
  readonly startedSubagents: Set<string>
  lastAnswerText: string
}

export function createTurnSpans(turn: TracedTurn): TurnSpans {
  const state: TurnState = {
    turn,
    calls: createOpenCalls(),
    requests: createBookedRequests(turn.startedAt),
    subagents: new Map(),
    startedSubagents: new Set(),
    lastAnswerText: '',
  }
  return { observe: (event, requestedAt) => observe(state, event, requestedAt) }
}

function observe(state: TurnState, event: SessionEvent, requestedAt: number | undefined): readonly Span[] {
  const { calls, requests, subagents } = state
  switch (event.type) {
    case 'AgentThought':
      if (event.agent === null) state.lastAnswerText = event.data.text
      return chatSpans(state, requests.assignAgent(event.data.messageId, event.agent))
    case 'AgentThinking':
    case 'SubagentThought':
      return chatSpans(state, requests.assignAgent(event.data.messageId, event.agent))
    case 'AgentInvokedTool':
      calls.begin(event)
      return chatSpans(state, requests.assignAgent(event.data.messageId, event.agent))
    case 'ToolExecuted':
      requests.noteResult(event.at)
      return endCall(state, event)
    case 'ApprovalRequested':
      calls.ask(event)
      return []
    case 'ApprovalDecided':
    case 'ApprovalExpired':
      calls.settle(event)
      return []
    case 'SubagentStarted':
      state.startedSubagents.add(event.data.parentToolUseId)
      subagents.set(event.data.parentToolUseId, event)
      return []
    case 'SubagentStopped':
      return endSubagent(state, event)
    case 'UsageRecorded':
      return chatSpans(state, requests.book(event, requestedAt))
    case 'TurnEnded':
      return endTurn(state, event)
    default:
      return []
  }
}

function chatSpans(state: TurnState, assigned: AssignedRequest | null): readonly Span[] {
  return assigned === null ? [] : [chatSpan(state.turn, assigned.request, parentOf(state, assigned.agent))]
}

function endCall(state: TurnState, { data, at }: EventOfType<'ToolExecuted'>): readonly Span[] {
  const call = state.calls.take(data.toolUseId)
  return call === undefined ? [] : [callSpan(state, call, { endedAt: timeOf(at), executed: data })]
}

interface CallEnd {
  readonly endedAt: number
  readonly executed: EventOfType<'ToolExecuted'>['data'] | null
}

const callSpan = (state: TurnState, call: UnfinishedToolCall, end: CallEnd): Span =>
  toolSpan(state.turn, { ...call, ...end, parentSpanId: parentOf(state, call.event.agent) })

function endSubagent({ turn, subagents }: TurnState, { data, at }: EventOfType<'SubagentStopped'>): readonly Span[] {
  const started = subagents.get(data.parentToolUseId)
  subagents.delete(data.parentToolUseId)
  const errorType = data.isError ? 'failed' : null
  return started === undefined ? [] : [subagentSpan(turn, started, { endedAt: timeOf(at), errorType })]
}

/** Open spans end with the turn. */
function endTurn(state: TurnState, event: EventOfType<'TurnEnded'>): readonly Span[] {
  const { turn, calls, requests, subagents, lastAnswerText } = state
  const endedAt = timeOf(event.at)
  return [
    ...requests.left().flatMap((assigned) => chatSpans(state, assigned)),
    ...[...subagents.values()].map((started) => subagentSpan(turn, started, { endedAt, errorType: 'unfinished' })),
    ...calls.left().map((call) => callSpan(state, call, { endedAt, executed: null })),
    turnSpan(turn, event, { ...requests.totals(), lastAnswerText }),
  ]
}

/** The agent's own span; before it is announced, the call that started it. */
function parentOf({ turn, startedSubagents }: TurnState, agent: AgentPath): string {
  const last = agent?.at(-1)
  if (last === undefined) return turnSpanId(turn)
  return startedSubagents.has(last) ? subagentSpanId(turn, last) : toolSpanId(turn, last)
}
