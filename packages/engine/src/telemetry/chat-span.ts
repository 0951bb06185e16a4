import type { EventOfType } from '@quarterdeck/protocol'
import { type Span, spanIdOf } from './span.ts'
import { spanOfTurn, type TracedTurn, timeOf, tokenAttributes } from './span-of-turn.ts'

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
