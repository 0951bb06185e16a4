// The spans of a turn itself and of its subagents.
import type { EventOfType, TokenCounts } from '@quarterdeck/protocol'
import { messageAttributes } from './captured-content.ts'
import { type Span, spanIdOf } from './span.ts'
import { spanOfTurn, type TracedTurn, timeOf, tokenAttributes } from './span-of-turn.ts'
import { toolSpanId } from './tool-span.ts'

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
