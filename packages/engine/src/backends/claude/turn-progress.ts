// How far a turn has come, read from what the CLI says about itself.
import type { EventDraft } from '@quarterdeck/protocol'
import type { Heard } from './claude-process.ts'
import { AnyMessage } from './translate/sdk-message.ts'

export interface TurnProgress {
  ended: EventDraft<'TurnEnded'> | null
  isIdle: boolean
  /** The CLI has taken the prompt up. */
  hasBegun: boolean
  /** The provider refused the key: trying again would only take longer to say so. */
  refusedKey: boolean
  isInterrupted: boolean
}

export const newTurn = (): TurnProgress => ({
  ended: null,
  isIdle: false,
  hasBegun: false,
  refusedKey: false,
  isInterrupted: false,
})

/** After a result the CLI says `idle` at once (measured); this is for one that forgets. */
const idlePatienceMs = 5_000

/** How long to wait for the next message; `null` for as long as it takes. */
export function patienceOf(turn: TurnProgress): number | null {
  return turn.ended !== null || turn.isIdle ? idlePatienceMs : null
}

/** A result is not the end: the turn is over when the CLI is idle, falls silent or is gone. */
export const isOver = (heard: Heard, turn: TurnProgress): boolean =>
  heard.type !== 'message' || (turn.ended !== null && turn.isIdle)

export function noteState(turn: TurnProgress, message: unknown): void {
  const any = AnyMessage.safeParse(message)
  if (!any.success || any.data.subtype !== 'session_state_changed') return
  turn.isIdle = any.data.state === 'idle'
  if (!turn.isIdle) turn.hasBegun = true
}

export function isTurnStart(message: unknown): boolean {
  const any = AnyMessage.safeParse(message)
  return any.success && (any.data.subtype === 'init' || any.data.subtype === 'status')
}
