// Pause, resume, cancel, close: what a person wants of a session as a whole, and what a process's coming and going adds.
import {
  type CancelSession,
  type CloseSession,
  draft,
  type EventDraft,
  goOnMessage,
  type HibernateSession,
  isClosedStatus,
  type NoteFork,
  type PauseSession,
  type ResumeSession,
  type RewindConversation,
  type SessionState,
  type UserMessageId,
  type WakeSession,
} from '@quarterdeck/protocol'
import { requireNotPaused, requireResumable } from './invariants.ts'
import { completed } from './session-completed.ts'
import { askCount, asksWhere, expireAll, moveTo, restingStatus, waitingStatus } from './status-drafts.ts'
import { wake } from './wake-message.ts'

/** A turn has to stop first: its end says `paused`. Without one the queue is simply held. */
export function pauseSession(state: SessionState, { by }: PauseSession): readonly EventDraft[] {
  requireNotPaused(state)
  return [moveTo(state, state.turn === null ? 'paused' : 'pausing', `by ${by}`)]
}

export function resumeSession(state: SessionState, { by, goOnMessageId }: ResumeSession): readonly EventDraft[] {
  requireResumable(state)
  const resuming = moveTo(state, 'resuming', `by ${by}`)
  const after = { ...state, status: 'resuming' as const }
  const waiting = waitingStatus(state)
  if (waiting !== null) return [resuming, moveTo(after, waiting)]
  const continuation = goOn(state, goOnMessageId)
  const hasWork = continuation.length > 0 || state.queued.length > 0
  return [resuming, ...continuation, moveTo(after, hasWork ? 'queued' : restingStatus(state))]
}

/**
 * What the agent has to hear before it goes on: what was decided without it, or that its work was cut off. Nothing when
 * the engine has a message for it already.
 */
export function goOn(state: SessionState, messageId: UserMessageId): readonly EventDraft[] {
  if (state.queued.some(({ origin }) => origin === 'engine')) return []
  const woken = wake(state.untold, messageId)
  if (woken.length > 0) return woken
  if (!state.wasCutOff && state.status !== 'interrupted') return []
  const content = goOnMessage.stopped
  return [draft('UserMessageQueued', { messageId, content, origin: 'engine', by: 'quarterdeck' })]
}

export function cancelSession(state: SessionState, { by }: CancelSession): readonly EventDraft[] {
  const begun = [moveTo(state, 'cancelling', `by ${by}`), ...cancelQueued(state, by)]
  if (state.turn !== null) return begun
  return [...begun, ...expireAll(state), moveTo({ ...state, status: 'cancelling' }, 'cancelled', `by ${by}`)]
}

/** What has come back into the queue since is the turn's own, and ends with it. */
export const confirmCancel = (state: SessionState): readonly EventDraft[] =>
  state.status === 'cancelling'
    ? [...cancelQueued(state, 'quarterdeck'), ...expireAll(state), moveTo(state, 'cancelled')]
    : []

/** No turn will take these any more. */
const cancelQueued = ({ queued }: SessionState, by: string): readonly EventDraft[] =>
  queued.map(({ messageId }) => draft('UserMessageCancelled', { messageId, by }))

export const closeSession = (state: SessionState, { by }: CloseSession): readonly EventDraft[] => [
  ...cancelQueued(state, by),
  ...expireAll(state),
  completed(state),
  moveTo(state, 'completed'),
]

export const noteFork = ({ toSessionId, seq, by }: NoteFork): readonly EventDraft[] => [
  draft('AgentSessionForked', { toSessionId, seq, by }),
]

/**
 * What the forgotten part asked is asked no more, and what was answered to it is neither told nor used. Messages of people
 * that wait stay, and a pause holds.
 */
export function rewindConversation(state: SessionState, command: RewindConversation): readonly EventDraft[] {
  const { messageId, backendSessionId, by, seq, wakeMessageId } = command
  const isForgotten = (ask: { readonly seq?: number | undefined }) => ask.seq === undefined || ask.seq >= seq
  const isKnown = (ask: { readonly seq?: number | undefined }) => !isForgotten(ask)
  const left = asksWhere(state, isKnown)
  // The engine's own tell of work that is forgotten; what they told besides is told anew.
  const overtaken = state.queued.filter(({ origin }) => origin === 'engine')
  const woken = askCount(left) > 0 ? [] : wake(state.untold.filter(isKnown), wakeMessageId)
  const drafts = [
    ...expireAll(asksWhere(state, isForgotten)),
    ...state.grants.filter(isForgotten).map(({ approvalId }) => draft('ApprovalUnused', { approvalId })),
    ...overtaken.map((message) => draft('UserMessageCancelled', { messageId: message.messageId, by: 'quarterdeck' })),
    draft('AgentSessionRewound', { messageId, backendSessionId, fromSeq: seq, by }),
    ...woken,
  ]
  const hasMore = state.queued.length - overtaken.length + woken.length > 0
  if (state.status === 'paused' || (state.status === 'queued' && hasMore)) return drafts
  const next = waitingStatus(left) ?? (hasMore ? 'queued' : 'idle')
  return next === state.status ? drafts : [...drafts, moveTo(state, next)]
}

export function hibernateSession(state: SessionState, { reason }: HibernateSession): readonly EventDraft[] {
  if (state.turn !== null || state.isHibernated || isClosedStatus(state.status)) return []
  return [draft('AgentSessionHibernated', { reason })]
}

export const wakeSession = (state: SessionState, { reason }: WakeSession): readonly EventDraft[] =>
  state.isHibernated ? [draft('AgentSessionWoken', { reason })] : []
