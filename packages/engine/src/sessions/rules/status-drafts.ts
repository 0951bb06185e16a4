import { draft, type EventDraft, isOutOfTime, type SessionState, type SessionStatus } from '@quarterdeck/protocol'

export function moveTo(
  state: Pick<SessionState, 'status'>,
  to: SessionStatus,
  reason: string | null = null,
): EventDraft<'AgentSessionStatusChanged'> {
  return draft('AgentSessionStatusChanged', { from: state.status, to, reason })
}

/** What somebody's answer is wanted for. */
export type OpenAsks = Pick<SessionState, 'approvals' | 'questions' | 'clientCalls'>

export const askCount = ({ approvals, questions, clientCalls }: OpenAsks): number =>
  approvals.length + questions.length + clientCalls.length

/** What waits for whom, from the one that is shown first. */
const waitsFor = { approvals: 'waiting_approval', questions: 'waiting_user', clientCalls: 'waiting_client' } as const
const kinds = ['approvals', 'questions', 'clientCalls'] as const
const waitingStatuses = kinds.map((kind) => waitsFor[kind])

export type WaitingStatus = (typeof waitsFor)[keyof OpenAsks]

export const isWaitingStatus = (status: SessionStatus): status is WaitingStatus =>
  waitingStatuses.some((waiting) => waiting === status)

export const isShownBefore = (one: WaitingStatus, other: WaitingStatus): boolean =>
  waitingStatuses.indexOf(one) < waitingStatuses.indexOf(other)

/** Who is waited for; `null` for nobody. An approval is shown before a question, and that before a client's call. */
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

/** Nobody will answer these any more. */
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

/**
 * Work waits. A resting session says so, that a crash before the turn starts cannot forget it; a paused one holds it
 * until somebody resumes.
 */
export function queueUp(state: SessionState): readonly EventDraft[] {
  if (state.turn !== null || state.status === 'queued' || state.status === 'paused') return []
  return [moveTo(state, 'queued')]
}

/** Where a session without a turn and without waiting messages belongs, by what became of its last turn. */
export function restingStatus(state: SessionState): SessionStatus {
  const waiting = waitingStatus(state)
  if (waiting !== null) return waiting
  if (state.wasCutOff && state.costUsd >= state.limits.maxBudgetUsd) return 'stopped_budget'
  if (state.wasCutOff) return isOutOfTime(state) ? 'failed' : 'interrupted'
  return state.lastError === null ? 'idle' : 'failed'
}
