// Preconditions of commands. Each check throws the error for the caller.
import {
  assertNever,
  type ErrorCode,
  isClosedStatus,
  QuarterdeckError,
  type QueuedMessage,
  resumeObstacle,
  type SessionId,
  type SessionState,
  type SessionStatus,
  type UserMessageId,
  unknownId,
} from '@quarterdeck/protocol'

export function requireNew(state: SessionState | null): void {
  if (state !== null) throw new QuarterdeckError('store.conflict', `session ${state.sessionId} exists already`)
}

export function requireSession(state: SessionState | null, sessionId: SessionId): SessionState {
  if (state === null) throw unknownId('sessionId', sessionId)
  return state
}

const refused = ({ sessionId, status }: SessionState, code: ErrorCode, why: string): QuarterdeckError =>
  new QuarterdeckError(code, `session ${sessionId} ${why}`, { facts: { sessionStatus: status } })

export function requireOpen(state: SessionState): SessionState {
  if (!isClosedStatus(state.status) && state.status !== 'cancelling') return state
  throw refused(state, 'session.closed', `is ${state.status}: fork it to continue, or start a new one`)
}

export function requireResting(state: SessionState): SessionState {
  if (state.turn === null) return state
  throw refused(state, 'session.busy', `is ${state.status}: interrupt it first`)
}

export function requireTurn(state: SessionState): SessionState {
  if (state.turn !== null) return state
  throw refused(state, 'session.not-running', `is ${state.status}: no turn is running`)
}

const underWay: ReadonlySet<SessionStatus> = new Set(['interrupting', 'pausing', 'resuming', 'cancelling'])

/** A two-phase change that is under way cannot be requested again. */
export function requireSettled(state: SessionState): SessionState {
  if (!underWay.has(state.status)) return state
  throw refused(state, 'session.busy', `is already ${state.status}`)
}

export function requireNotPaused(state: SessionState): void {
  if (state.status === 'paused') throw refused(state, 'session.busy', 'is already paused')
}

export function requireResumable(state: SessionState): void {
  const { status } = state
  const obstacle = resumeObstacle(state)
  switch (obstacle) {
    case null:
      return
    case 'continuing':
      throw refused(state, 'session.busy', `is ${status}: it is continuing already`)
    case 'open-asks':
      throw refused(state, 'session.busy', `is ${status}: answer its open requests to continue`)
    case 'out-of-time':
      throw refused(state, 'session.not-running', 'has used up its working time: raise limits.maxDurationMs')
    case 'out-of-money':
      throw refused(
        state,
        'session.not-running',
        `was stopped by its own budget: raise limits.maxBudgetUsd${cheaperHint(state)}`,
      )
    case 'no-work':
      throw refused(state, 'session.not-running', `is ${status}: there is nothing to resume, send a message`)
    default:
      return assertNever(obstacle)
  }
}

/** A request that did not fit left some money. */
const cheaperHint = ({ costUsd, limits }: SessionState): string =>
  costUsd < limits.maxBudgetUsd ? ', or choose a cheaper model and send a message' : ''

/** Requires a message that no turn has taken yet. */
export function requireWaitingMessage(state: SessionState, messageId: UserMessageId): QueuedMessage {
  const waiting = state.queued.find((message) => message.messageId === messageId)
  if (waiting !== undefined) return waiting
  if (!state.recentMessages.includes(messageId)) {
    throw new QuarterdeckError('message.not-found', `session ${state.sessionId} has no message ${messageId}`)
  }
  throw new QuarterdeckError(
    'message.delivered',
    `message ${messageId} was delivered or cancelled: it is no longer queued`,
  )
}

/** People cannot change messages of the engine. */
export function requirePersonsMessage(message: QueuedMessage): QueuedMessage {
  if (message.origin === 'user') return message
  throw new QuarterdeckError('request.invalid', `message ${message.messageId} is from the engine and cannot be changed`)
}

/** A reader's cursor cannot be beyond the log. */
export function requireCursor({ sessionId, seq }: SessionState, after: number): void {
  if (after <= seq) return
  const detail = `the log of ${sessionId} ends at ${seq}: read the snapshot and continue from there`
  throw new QuarterdeckError('cursor.beyond-log', detail, {
    facts: { lastSeq: seq, snapshot: `/v1/sessions/${sessionId}` },
  })
}
