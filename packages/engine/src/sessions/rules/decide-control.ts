// Pause, resume, cancel and close of a whole session, and the effects of hibernating and waking.
import {
  type CancelSession,
  type CloseSession,
  continueMessage,
  draft,
  type EventDraft,
  type HibernateSession,
  isClosedStatus,
  type NoteFork,
  openAsks,
  type PauseSession,
  type QueuedMessage,
  type ResumeSession,
  reasonBy,
  type SessionState,
  type UserMessageId,
  type WakeSession,
} from '@quarterdeck/protocol'
import { requireNotPaused, requireResumable } from './invariants.ts'
import { completed, expireAll, moveTo, restingStatus, waitingStatus } from './status-drafts.ts'
import { wake } from './wake-message.ts'

/** A running turn must stop first: its end sets `paused`. Without a turn, only the queue is held. */
export function pauseSession(state: SessionState, { by }: PauseSession): readonly EventDraft[] {
  requireNotPaused(state)
  return [moveTo(state, state.turn === null ? 'paused' : 'pausing', reasonBy(by))]
}

export function resumeSession(state: SessionState, { by, continueMessageId }: ResumeSession): readonly EventDraft[] {
  requireResumable(state)
  const resuming = moveTo(state, 'resuming', reasonBy(by))
  const after = { ...state, status: 'resuming' as const }
  const waiting = waitingStatus(openAsks(state))
  if (waiting !== null) return [resuming, moveTo(after, waiting)]
  const continuation = continueWork(state, continueMessageId)
  const hasWork = continuation.length > 0 || state.queued.length > 0
  return [resuming, ...continuation, moveTo(after, hasWork ? 'queued' : restingStatus(state))]
}

/**
 * The message to the agent before it continues: decisions made without it, the messages that it may have lost, or that
 * its work was interrupted. None if the engine already has a message for it.
 */
export function continueWork(state: SessionState, messageId: UserMessageId): readonly EventDraft[] {
  if (state.queued.some(({ origin }) => origin === 'engine')) return []
  const woken = wake(state.unreported, messageId)
  if (woken.length > 0) return woken
  if (!state.wasCutOff && state.status !== 'interrupted') return []
  if (state.unsaved.length > 0) return state.unsaved.toReversed().map(returnUnsaved)
  const content = continueMessage.stopped
  return [draft('UserMessageQueued', { messageId, content, origin: 'engine', by: 'quarterdeck' })]
}

/** The last one first, because each goes to the front. */
const returnUnsaved = ({ messageId }: QueuedMessage): EventDraft =>
  draft('UserMessageReturned', { messageId, reason: 'the agent may not have received it' })

export function cancelSession(state: SessionState, { by }: CancelSession): readonly EventDraft[] {
  const begun = [moveTo(state, 'cancelling', reasonBy(by)), ...cancelQueued(state, by)]
  if (state.turn !== null) return begun
  return [
    ...begun,
    ...expireAll(openAsks(state)),
    moveTo({ ...state, status: 'cancelling' }, 'cancelled', reasonBy(by)),
  ]
}

/** Messages that were returned to the queue since belong to the turn and end with it. */
export const confirmCancel = (state: SessionState): readonly EventDraft[] =>
  state.status === 'cancelling'
    ? [...cancelQueued(state, 'quarterdeck'), ...expireAll(openAsks(state)), moveTo(state, 'cancelled')]
    : []

/** No turn will take these messages. */
const cancelQueued = ({ queued }: SessionState, by: string): readonly EventDraft[] =>
  queued.map(({ messageId }) => draft('UserMessageCancelled', { messageId, by }))

export const closeSession = (state: SessionState, { by }: CloseSession): readonly EventDraft[] => [
  ...cancelQueued(state, by),
  ...expireAll(openAsks(state)),
  completed(state),
  moveTo(state, 'completed'),
]

export const noteFork = ({ toSessionId, seq, by }: NoteFork): readonly EventDraft[] => [
  draft('AgentSessionForked', { toSessionId, seq, by }),
]

export function hibernateSession(state: SessionState, { reason }: HibernateSession): readonly EventDraft[] {
  if (state.turn !== null || state.isHibernated || isClosedStatus(state.status)) return []
  return [draft('AgentSessionHibernated', { reason })]
}

export const wakeSession = (state: SessionState, { reason }: WakeSession): readonly EventDraft[] =>
  state.isHibernated ? [draft('AgentSessionWoken', { reason })] : []
