// How far a turn has come, read from what the CLI says about itself.
import type { UUID } from 'node:crypto'
import type { EventDraft, InputImage, UserMessageId } from '@quarterdeck/protocol'
import type { ClaudeProcess, Heard } from './claude-process.ts'
import { AnyMessage, CommandLifecycle } from './translate/sdk-message.ts'

/** A message of this turn on its way to the model. */
export interface Said {
  readonly text: string
  readonly images: readonly InputImage[]
  readonly messageId: UserMessageId | null
  /** The id of the last attempt to deliver it; `null` before the first. */
  uuid: UUID | null
  state: 'waiting' | 'taken' | 'settled'
}

export interface TurnProgress {
  ended: EventDraft<'TurnEnded'> | null
  isIdle: boolean
  /** The CLI has taken the prompt up. */
  hasBegun: boolean
  /** The provider refused the key: trying again would only take longer to say so. */
  refusedKey: boolean
  isInterrupted: boolean
  /** Its process is gone. */
  isGone: boolean
  /** Nothing can be handed into it any more. */
  isClosed: boolean
  /** Where it is spoken; `null` while that is being started. */
  process: ClaudeProcess | null
  /** Taken up last: its round may begin next. */
  beginning: Said | null
  /** The prompt, and what was handed in since. */
  readonly said: Said[]
}

export const newTurn = (
  text: string,
  messageId: UserMessageId | null,
  images: readonly InputImage[] = [],
): TurnProgress => ({
  ended: null,
  isIdle: false,
  hasBegun: false,
  refusedKey: false,
  isInterrupted: false,
  isGone: false,
  isClosed: false,
  process: null,
  beginning: null,
  said: [newSaid(text, messageId, images)],
})

export const newSaid = (text: string, messageId: UserMessageId | null, images: readonly InputImage[] = []): Said => ({
  text,
  images,
  messageId,
  uuid: null,
  state: 'waiting',
})

/** How long nothing may be heard in a turn that has come so far. */
export interface Silence {
  /** After a result the CLI says `idle` at once, and the other way round (measured); this is for one that forgets. */
  readonly idleMs: number
  /** It takes a message up at once (measured); this is for a machine that is very busy. */
  readonly steeredMs: number
  /** Without money it asks for nothing more: what still runs must end, and some versions forget to say so. */
  readonly brokeMs: number
}

export const usualSilence: Silence = { idleMs: 5_000, steeredMs: 30_000, brokeMs: 120_000 }

/** How long to wait for the next message; `null` for as long as it takes. */
export function patienceOf(turn: TurnProgress, silence: Silence, isBroke: boolean): number | null {
  if (turn.ended === null && !turn.isIdle) return isBroke ? silence.brokeMs : null
  return isSteered(turn) ? silence.steeredMs : silence.idleMs
}

/** What was handed in is still on its way: the CLI will answer it by itself, also after it said `idle`. */
export const isSteered = (turn: TurnProgress): boolean => turn.said.slice(1).some(({ state }) => state !== 'settled')

/** A result is not the end: the turn is over when the CLI is idle, falls silent or is gone. */
export const isOver = (heard: Heard, turn: TurnProgress): boolean =>
  heard.type !== 'message' || (turn.ended !== null && turn.isIdle && !isSteered(turn))

export function noteState(turn: TurnProgress, message: unknown): void {
  const any = AnyMessage.safeParse(message)
  if (!any.success || any.data.subtype !== 'session_state_changed') return
  turn.isIdle = any.data.state === 'idle'
  if (!turn.isIdle) turn.hasBegun = true
}

/** A message that was dropped: the CLI has seen its id before, in an earlier process, and will not answer it. */
export function noteDelivery(turn: TurnProgress, message: unknown): Said | null {
  const lifecycle = CommandLifecycle.safeParse(message)
  if (!lifecycle.success) return null
  const said = turn.said.find(({ uuid }) => uuid === lifecycle.data.command_uuid)
  if (said === undefined) return null
  switch (lifecycle.data.state) {
    case 'started':
      said.state = 'taken'
      turn.beginning = said
      return null
    case 'completed':
      if (said.state === 'waiting') return said
      settle(turn, said)
      return null
    case 'cancelled':
      settle(turn, said)
      return null
    default:
      return null
  }
}

function settle(turn: TurnProgress, said: Said): void {
  said.state = 'settled'
  if (turn.beginning === said) turn.beginning = null
}

/** The round of a message begins, and with it the CLI's checkpoint. One that was only added to a running one has none. */
export function isRoundStart(message: unknown): boolean {
  const any = AnyMessage.safeParse(message)
  return any.success && any.data.subtype === 'init'
}

export function takeBeginning(turn: TurnProgress): UserMessageId | null {
  const begun = turn.beginning
  turn.beginning = null
  return begun?.messageId ?? null
}

export function isTurnStart(message: unknown): boolean {
  const any = AnyMessage.safeParse(message)
  return any.success && (any.data.subtype === 'init' || any.data.subtype === 'status')
}
