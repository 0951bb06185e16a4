import type { EventOfType } from '@quarterdeck/protocol'
import { resultAttributes } from './captured-content.ts'
import { type Span, spanIdOf } from './span.ts'
import { spanOfTurn, type TracedTurn, timeOf } from './span-of-turn.ts'

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
