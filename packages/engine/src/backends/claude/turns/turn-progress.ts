// The progress of a turn, according to the state messages of the CLI.
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
  /** The CLI has picked up the prompt. */
  hasBegun: boolean
  /** The provider refused the key: retries would only delay the error. */
  refusedKey: boolean
  isInterrupted: boolean
  /** Its process has exited. */
  hasExited: boolean
  /** It accepts no further messages. */
  isClosed: boolean
  /** `null` while the process is starting. */
  process: ClaudeProcess | null
  /** The prompt that was picked up last: its round may begin next. */
  beginning: TurnPrompt | null
  /** The prompt and the messages added since. */
  readonly prompts: TurnPrompt[]
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
  prompts: [newTurnPrompt(text, messageId, images)],
})

export const newTurnPrompt = (
  text: string,
  messageId: UserMessageId | null,
  images: readonly InputImage[] = [],
): TurnPrompt => ({ text, images, messageId, uuid: null, state: 'waiting' })

/** How long the CLI may be silent, by the progress of the turn. */
export interface Silence {
  /** After a result the CLI sends `idle` at once, and vice versa (measured). This limit is for a CLI that does not. */
  readonly idleMs: number
  /** The CLI picks up a message at once (measured). This limit is for a very busy machine. */
  readonly steeredMs: number
  /** Without budget the CLI makes no more requests. Running work must end, and some versions do not report that. */
  readonly budgetSpentMs: number
}

export const defaultSilence: Silence = { idleMs: 5_000, steeredMs: 30_000, budgetSpentMs: 120_000 }

/** How long to wait for the next message; `null` for no limit. */
export function silenceLimitOf(turn: TurnProgress, silence: Silence, isBudgetSpent: boolean): number | null {
  if (turn.ended === null && !turn.isIdle) return isBudgetSpent ? silence.budgetSpentMs : null
  return isSteered(turn) ? silence.steeredMs : silence.idleMs
}

/** Whether an added message is still pending: the CLI will answer it by itself, even after it sent `idle`. */
export const isSteered = (turn: TurnProgress): boolean => turn.prompts.slice(1).some(({ state }) => state !== 'settled')

/** A result is not the end: the turn is over when the CLI is idle, silent for too long or has exited. */
export const isOver = (received: ReceivedFromCli, turn: TurnProgress): boolean =>
  received.type !== 'message' || (turn.ended !== null && turn.isIdle && !isSteered(turn))

export function recordState(turn: TurnProgress, message: unknown): void {
  const any = AnyMessage.safeParse(message)
  if (!any.success || any.data.subtype !== 'session_state_changed') return
  turn.isIdle = any.data.state === 'idle'
  if (!turn.isIdle) turn.hasBegun = true
}

/** Returns a message that was dropped: the CLI has seen its id in an earlier process and will not answer it. */
export function recordDelivery(turn: TurnProgress, message: unknown): TurnPrompt | null {
  const lifecycle = CommandLifecycle.safeParse(message)
  if (!lifecycle.success) return null
  const prompt = turn.prompts.find(({ uuid }) => uuid === lifecycle.data.command_uuid)
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

/**
 * Whether the round of a message begins, and with it the CLI's checkpoint. A message added to a running round has none.
 */
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
