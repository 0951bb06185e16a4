import { draft, type EventDraft, isOutOfTime, type SessionState, type SessionStatus } from '@quarterdeck/protocol'

export function moveTo(
  state: Pick<SessionState, 'status'>,
  to: SessionStatus,
  reason: string | null = null,
): EventDraft<'AgentSessionStatusChanged'> {
  return draft('AgentSessionStatusChanged', { from: state.status, to, reason })
}

/** The fields of open asks. */
export type OpenAsks = Pick<SessionState, 'approvals' | 'questions' | 'clientCalls'>

export const askCount = ({ approvals, questions, clientCalls }: OpenAsks): number =>
  approvals.length + questions.length + clientCalls.length

/** The statuses of waiting sessions, in the order of their priority. */
const waitsFor = { approvals: 'waiting_approval', questions: 'waiting_user', clientCalls: 'waiting_client' } as const
const kinds = ['approvals', 'questions', 'clientCalls'] as const
const waitingStatuses = kinds.map((kind) => waitsFor[kind])

export type WaitingStatus = (typeof waitsFor)[keyof OpenAsks]

export const isWaitingStatus = (status: SessionStatus): status is WaitingStatus =>
  waitingStatuses.some((waiting) => waiting === status)

export const isShownBefore = (one: WaitingStatus, other: WaitingStatus): boolean =>
  waitingStatuses.indexOf(one) < waitingStatuses.indexOf(other)

/** The status of a waiting session, or `null`. Approvals come before questions, and questions before client calls. */
export function waitingStatus(asks: OpenAsks): WaitingStatus | null {
  const kind = kinds.find((one) => asks[one].length > 0)
  return kind === undefined ? null : waitsFor[kind]
}

/** The asks that `isChosen` picks. */
export const asksWhere = (state: OpenAsks, isChosen: (ask: AnyAsk) => boolean): OpenAsks => ({
  approvals: state.approvals.filter(isChosen),
  questions: state.questions.filter(isChosen),
  clientCalls: state.clientCalls.filter(isChosen),
})

export type AnyAsk = SessionState['approvals' | 'questions' | 'clientCalls'][number]

/** Expires these asks. */
export function expireAll(
  { approvals, questions, clientCalls }: OpenAsks,
  origin: { turnId?: EventDraft['turnId'] } = {},
): readonly EventDraft[] {
  const at = origin.turnId === undefined ? {} : { turnId: origin.turnId }
  return [
    ...approvals.map(({ approvalId, agent }) => draft('ApprovalExpired', { approvalId }, { agent, ...at })),
    ...questions.map(({ questionId, agent }) => draft('QuestionExpired', { questionId }, { agent, ...at })),
    ...clientCalls.map(({ callId, agent }) => draft('ClientToolExpired', { callId }, { agent, ...at })),
  ]
}

/** Marks a resting session as queued, so that a crash cannot lose the work. A paused one holds it until the resume. */
export function queueUp(state: SessionState): readonly EventDraft[] {
  if (state.turn !== null || state.status === 'queued' || state.status === 'paused') return []
  return [moveTo(state, 'queued')]
}

/** The status of a session without a turn and without queued messages, by the outcome of its last turn. */
export function restingStatus(state: SessionState): SessionStatus {
  const waiting = waitingStatus(state)
  if (waiting !== null) return waiting
  if (state.wasCutOff && state.costUsd >= state.limits.maxBudgetUsd) return 'stopped_budget'
  if (state.wasCutOff) return isOutOfTime(state) ? 'failed' : 'interrupted'
  return state.lastError === null ? 'idle' : 'failed'
}
