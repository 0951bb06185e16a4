import {
  type Ask,
  draft,
  type EventDraft,
  isClosedStatus,
  isOutOfTime,
  openAsks,
  type SessionState,
  type SessionStatus,
} from '@quarterdeck/protocol'
import { askStrategies, strategyOf } from './ask-kinds/ask-strategies.ts'
import type { AskStrategy } from './ask-kinds/ask-strategy.ts'

export function moveTo(
  state: Pick<SessionState, 'status'>,
  to: SessionStatus,
  reason: string | null = null,
): EventDraft<'AgentSessionStatusChanged'> {
  return draft('AgentSessionStatusChanged', { from: state.status, to, reason })
}

/** No turn starts, although messages may wait. */
export const isHeld = (status: SessionStatus): boolean =>
  status === 'paused' || status === 'cancelling' || isClosedStatus(status)

type WaitingStatus = AskStrategy['status']

const waitingStatuses = Object.values(askStrategies).map(({ status }) => status)

export const isWaitingStatus = (status: SessionStatus): status is WaitingStatus =>
  waitingStatuses.some((waiting) => waiting === status)

export const isShownBefore = (one: WaitingStatus, other: WaitingStatus): boolean =>
  waitingStatuses.indexOf(one) < waitingStatuses.indexOf(other)

/** The status of a session that waits for these asks, or `null` without any. */
export const waitingStatus = ([first]: readonly Ask[]): WaitingStatus | null =>
  first === undefined ? null : askStrategies[first.kind].status

/** Expires these asks. */
export const expireAll = (asks: readonly Ask[], at: Pick<EventDraft, 'turnId'> = {}): readonly EventDraft[] =>
  asks.map(({ id, request }) => ({ ...strategyOf(id).expired(id), agent: request.agent, ...at }))

/** Marks a resting session as queued, so that a crash cannot lose the work. A paused one holds it until the resume. */
export function queueUp(state: SessionState): readonly EventDraft[] {
  if (state.turn !== null || state.status === 'queued' || state.status === 'paused') return []
  return [moveTo(state, 'queued')]
}

/** The status of a session without a turn and without queued messages, by the outcome of its last turn. */
export function restingStatus(state: SessionState): SessionStatus {
  const waiting = waitingStatus(openAsks(state))
  if (waiting !== null) return waiting
  if (state.wasCutOff && state.costUsd >= state.limits.maxBudgetUsd) return 'stopped_budget'
  if (state.wasCutOff) return isOutOfTime(state) ? 'failed' : 'interrupted'
  return state.lastError === null ? 'idle' : 'failed'
}

/** The totals of a session when it closes. */
export function completed(state: SessionState): EventDraft<'AgentSessionCompleted'> {
  return draft('AgentSessionCompleted', {
    totalCostUsd: state.hasUnpricedUsage ? null : state.costUsd,
    modelUsage: state.modelUsage,
    numTurns: state.numTurns,
    durationMs: state.durationMs,
    durationApiMs: state.durationApiMs,
    result: state.lastResult,
    permissionDenials: state.permissionDenials,
  })
}
