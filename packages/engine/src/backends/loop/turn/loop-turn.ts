import type { InputImage, JsonObject, UserMessageId } from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import { emptyTurn, recordEvent, type TurnRecord } from '../../driver/turn-record.ts'

export interface LoopPrompt {
  readonly text: string
  readonly messageId: UserMessageId | null
  readonly images: readonly InputImage[]
}

/** The progress of a turn. */
export interface LoopTurn {
  readonly signal: AbortSignal
  /** `null` if there is capacity for more; otherwise a promise to wait for. */
  emit(event: BackendEvent): Promise<void> | null
  /** The result so far. */
  record: TurnRecord
  /** Added messages that are not in the conversation yet. */
  readonly steered: LoopPrompt[]
  /** No more messages are accepted. */
  isClosed: boolean
  /** Model requests so far. */
  requests: number
  apiMs: number
  readonly denials: JsonObject[]
  structuredOutput: unknown
  /** The answer to show, if it is not the model's own text. */
  response: string | null
  /** The number of answers that did not match the schema. */
  violations: number
  /** How often in a row the provider found a request too long. */
  refusals: number
  /** A Stop hook has kept the turn going. */
  isStopHookActive: boolean
  /** The fallback for an overloaded model. */
  fallback: { readonly from: string; readonly to: string } | null
}

export function newLoopTurn(signal: AbortSignal, push: LoopTurn['emit']): LoopTurn {
  const turn: LoopTurn = {
    signal,
    record: emptyTurn,
    emit(event) {
      if (event.type !== 'AgentStreamToken') turn.record = recordEvent(turn.record, event)
      return push(event)
    },
    steered: [],
    isClosed: false,
    requests: 0,
    apiMs: 0,
    denials: [],
    structuredOutput: null,
    response: null,
    violations: 0,
    refusals: 0,
    isStopHookActive: false,
    fallback: null,
  }
  return turn
}
