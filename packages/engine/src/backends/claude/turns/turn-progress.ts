// How far a turn has come, read from what the CLI says about itself.
import type { UUID } from 'node:crypto'
import type { EventDraft, InputImage, UserMessageId } from '@quarterdeck/protocol'
import type { ClaudeProcess, ReceivedFromCli } from '../cli/claude-process.ts'
import { AnyMessage, CommandLifecycle } from '../translate/sdk-message.ts'

/** A message of this turn on its way to the model. */
export interface TurnPrompt {
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
  hasExited: boolean
  /** Nothing can be handed into it any more. */
  isClosed: boolean
  /** Where it is spoken; `null` while that is being started. */
  process: ClaudeProcess | null
  /** Taken up last: its round may begin next. */
  beginning: TurnPrompt | null
  /** The prompt, and what was handed in since. */
  readonly prompt: TurnPrompt[]
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
  hasExited: false,
  isClosed: false,
  process: null,
  beginning: null,
  prompt: [newTurnPrompt(text, messageId, images)],
})

export const newTurnPrompt = (
  text: string,
  messageId: UserMessageId | null,
  images: readonly InputImage[] = [],
): TurnPrompt => ({
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
  readonly budgetSpentMs: number
}

export const defaultSilence: Silence = { idleMs: 5_000, steeredMs: 30_000, budgetSpentMs: 120_000 }

/** How long to wait for the next message; `null` for as long as it takes. */
export function silenceLimitOf(turn: TurnProgress, silence: Silence, isBudgetSpent: boolean): number | null {
  if (turn.ended === null && !turn.isIdle) return isBudgetSpent ? silence.budgetSpentMs : null
  return isSteered(turn) ? silence.steeredMs : silence.idleMs
}

/** What was handed in is still on its way: the CLI will answer it by itself, also after it said `idle`. */
export const isSteered = (turn: TurnProgress): boolean => turn.prompt.slice(1).some(({ state }) => state !== 'settled')

/** A result is not the end: the turn is over when the CLI is idle, falls silent or is gone. */
export const isOver = (received: ReceivedFromCli, turn: TurnProgress): boolean =>
  received.type !== 'message' || (turn.ended !== null && turn.isIdle && !isSteered(turn))

export function recordState(turn: TurnProgress, message: unknown): void {
  const any = AnyMessage.safeParse(message)
  if (!any.success || any.data.subtype !== 'session_state_changed') return
  turn.isIdle = any.data.state === 'idle'
  if (!turn.isIdle) turn.hasBegun = true
}

/** A message that was dropped: the CLI has seen its id before, in an earlier process, and will not answer it. */
export function recordDelivery(turn: TurnProgress, message: unknown): TurnPrompt | null {
  const lifecycle = CommandLifecycle.safeParse(message)
  if (!lifecycle.success) return null
  const prompt = turn.prompt.find(({ uuid }) => uuid === lifecycle.data.command_uuid)
  if (prompt === undefined) return null
  switch (lifecycle.data.state) {
    case 'started':
      prompt.state = 'taken'
      turn.beginning = prompt
      return null
    case 'completed':
      if (prompt.state === 'waiting') return prompt
      settle(turn, prompt)
      return null
    case 'cancelled':
      settle(turn, prompt)
      return null
    default:
      return null
  }
}

function settle(turn: TurnProgress, prompt: TurnPrompt): void {
  prompt.state = 'settled'
  if (turn.beginning === prompt) turn.beginning = null
}

/** The round of a message begins, and with it the CLI's checkpoint. One that was only added to a running one has none. */
export function isRoundStart(message: unknown): boolean {
  const any = AnyMessage.safeParse(message)
  return any.success && any.data.subtype === 'init'
}

export function takeRoundStart(turn: TurnProgress): UserMessageId | null {
  const begun = turn.beginning
  turn.beginning = null
  return begun?.messageId ?? null
}

export function isTurnStart(message: unknown): boolean {
  const any = AnyMessage.safeParse(message)
  return any.success && (any.data.subtype === 'init' || any.data.subtype === 'status')
}
