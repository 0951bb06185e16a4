// The progress of a turn, according to the state messages of the CLI.
import type { EventDraft } from '@quarterdeck/protocol'
import type { TurnPrompt } from '../../driver/turn-driver.ts'
import { endTurn } from '../../driver/turn-record.ts'
import type { ClaudeProcess, ReceivedFromCli } from '../cli/claude-process.ts'
import { AnyMessage } from '../translate/sdk-message.ts'
import { createPromptDeliveries } from './prompt-deliveries.ts'

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

export type TurnProgress = ReturnType<typeof createTurnProgress>

export function createTurnProgress(first: TurnPrompt) {
  let ended: EventDraft<'TurnEnded'> | null = null
  let isIdle = false
  let hasBegun = false
  let isKeyRefused = false
  let isInterrupted = false
  let hasExited = false
  let isClosed = false
  let process: ClaudeProcess | null = null
  const { add, ...deliveries } = createPromptDeliveries(first)

  return {
    ...deliveries,
    /** The result so far. */
    ended: () => ended,
    isIdle: () => isIdle,
    /** The CLI has picked up the prompt. */
    hasBegun: () => hasBegun,
    /** The provider refused the key: retries would only delay the error. */
    isKeyRefused: () => isKeyRefused,
    isInterrupted: () => isInterrupted,
    /** Its process has exited. */
    hasExited: () => hasExited,
    /** `null` while the process is starting. */
    process: () => process,
    /** How long to wait for the next message; `null` for no limit. */
    silenceLimit(silence: Silence, isBudgetSpent: boolean): number | null {
      if (ended === null && !isIdle) return isBudgetSpent ? silence.budgetSpentMs : null
      return deliveries.isSteered() ? silence.steeredMs : silence.idleMs
    },

    /** The current process is gone. */
    detach(): void {
      process = null
    },
    attach(started: ClaudeProcess): void {
      process = started
    },
    /** Adds a message. False if the turn accepts no more. */
    steer(prompt: TurnPrompt): boolean {
      if (isClosed || isInterrupted || isKeyRefused) return false
      add(prompt)
      return true
    },
    interrupt(): void {
      isInterrupted = true
    },
    noteKeyRefused(): void {
      isKeyRefused = true
    },
    noteExit(): void {
      hasExited = true
    },
    /** It accepts no further messages. */
    close(): void {
      isClosed = true
    },
    /** A result is not the end: the turn is over when the CLI is idle, silent for too long or has exited. */
    closeIfOver(received: ReceivedFromCli): boolean {
      isClosed = received.type !== 'message' || (ended !== null && isIdle && !deliveries.isSteered())
      return isClosed
    },
    /** A message added to an interrupted turn starts another round, whose result does not count as the end of the turn. */
    end(next: EventDraft<'TurnEnded'>): void {
      const wasInterrupted = isInterrupted && ended?.data.outcome === 'interrupted'
      ended = wasInterrupted ? endTurn(next.data.result, { ...next.data, outcome: 'interrupted' }) : next
    },
    recordState(message: unknown): void {
      const any = AnyMessage.safeParse(message)
      if (!any.success || any.data.subtype !== 'session_state_changed') return
      isIdle = any.data.state === 'idle'
      if (!isIdle) hasBegun = true
    },
  }
}

export function isTurnStart(message: unknown): boolean {
  const any = AnyMessage.safeParse(message)
  return any.success && (any.data.subtype === 'init' || any.data.subtype === 'status')
}
