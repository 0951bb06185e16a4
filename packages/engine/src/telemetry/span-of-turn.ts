import type { TokenCounts, TurnId } from '@quarterdeck/protocol'
import { type AttributeValue, attributesOf, type Span, traceIdOf } from './span.ts'

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

/** A span with the attributes that every span of a turn has. */
export function spanOfTurn(turn: TracedTurn, { operation, errorType, attributes, ...fields }: TurnSpanFields): Span {
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
export const tokenAttributes = ({ input, output, cacheRead, cacheWrite }: TokenCounts) => ({
  'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
  'gen_ai.usage.output_tokens': output,
  'gen_ai.usage.cache_read.input_tokens': cacheRead,
  'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
})
