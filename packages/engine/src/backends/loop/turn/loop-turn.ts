import type { InputImage, JsonObject, UserMessageId } from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import { emptyTurn, recordEvent, type TurnRecord } from '../../driver/turn-record.ts'

export interface LoopPrompt {
  readonly text: string
  readonly messageId: UserMessageId | null
  readonly images: readonly InputImage[]
}

/** How far a turn has come. */
export interface LoopTurn {
  readonly signal: AbortSignal
  /** `null` when there is room for more; else it is waited for. */
  emit(event: BackendEvent): Promise<void> | null
  /** What it has produced. */
  record: TurnRecord
  /** What was handed in and is not taken up yet. */
  readonly steered: LoopPrompt[]
  /** Nothing can be handed in any more. */
  isClosed: boolean
  /** Model requests so far. */
  requests: number
  apiMs: number
  readonly denials: JsonObject[]
  structuredOutput: unknown
  /** The answer as it is to be shown, where that is not the model's own words. */
  response: string | null
  /** Answers that did not keep the schema. */
  violations: number
  /** How often in a row the provider found a request too long. */
  refusals: number
  /** A hook has kept the turn from ending. */
  isStopHookActive: boolean
  /** Who answers in place of an overloaded model. */
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
