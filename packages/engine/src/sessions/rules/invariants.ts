// Preconditions of commands. Each check throws the error for the caller.
import {
  assertNever,
  type ErrorCode,
  isClosedStatus,
  QuarterdeckError,
  type QueuedMessage,
  resumeObstacle,
  type SessionState,
  type SessionStatus,
  type UserMessageId,
} from '@quarterdeck/protocol'

export function requireNew(state: SessionState | null): void {
  if (state !== null) throw new QuarterdeckError('store.conflict', `session ${state.sessionId} exists already`)
}

export function requireSession(state: SessionState | null): SessionState {
  if (state === null) throw new QuarterdeckError('session.not-found', 'there is no such session')
  return state
}

export function requireOpen(state: SessionState): SessionState {
  if (!isClosedStatus(state.status) && state.status !== 'cancelling') return state
  const detail = `session ${state.sessionId} is ${state.status}: fork it to continue, or start a new one`
  throw new QuarterdeckError('session.closed', detail, { facts: { sessionStatus: state.status } })
}

export function requireResting(state: SessionState): SessionState {
  if (state.turn === null) return state
  throw new QuarterdeckError('session.busy', `session ${state.sessionId} is ${state.status}: interrupt it first`, {
    facts: { sessionStatus: state.status },
  })
}

export function requireTurn(state: SessionState): SessionState {
  if (state.turn !== null) return state
  throw new QuarterdeckError(
    'session.not-running',
    `session ${state.sessionId} is ${state.status}: no turn is running`,
    { facts: { sessionStatus: state.status } },
  )
}

const underWay: ReadonlySet<SessionStatus> = new Set(['interrupting', 'pausing', 'resuming', 'cancelling'])

/** A two-phase change that is under way cannot be requested again. */
export function requireSettled(state: SessionState): SessionState {
  if (!underWay.has(state.status)) return state
  throw new QuarterdeckError('session.busy', `session ${state.sessionId} is already ${state.status}`, {
    facts: { sessionStatus: state.status },
  })
}

export function requireNotPaused(state: SessionState): void {
  if (state.status !== 'paused') return
  throw new QuarterdeckError('session.busy', `session ${state.sessionId} is already paused`, {
    facts: { sessionStatus: state.status },
  })
}

export function requireResumable(state: SessionState): void {
  const { sessionId, status } = state
  const facts = { sessionStatus: status }
  const refuse = (code: ErrorCode, detail: string): never => {
    throw new QuarterdeckError(code, `session ${sessionId} ${detail}`, { facts })
  }
  const obstacle = resumeObstacle(state)
  switch (obstacle) {
    case null:
      return
    case 'continuing':
      return refuse('session.busy', `is ${status}: it is continuing already`)
    case 'open-asks':
      return refuse('session.busy', `is ${status}: answer its open requests to continue`)
    case 'out-of-time':
      return refuse('session.not-running', 'has used up its working time: raise limits.maxDurationMs')
    case 'out-of-money':
      return refuse(
        'session.not-running',
        `was stopped by its own budget: raise limits.maxBudgetUsd${cheaperHint(state)}`,
      )
    case 'no-work':
      return refuse('session.not-running', `is ${status}: there is nothing to resume, send a message`)
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
