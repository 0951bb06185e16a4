// The changes that events make to the rows derived from the log.
import { type EventOfType, type SessionEvent, type SessionState, starterOf } from '@quarterdeck/protocol'
import type { AskId } from '../../ports/event-store.ts'
import type { Booking } from '../../ports/money-store.ts'
import { type WarningMark, warningMarkOf } from '../ledger/warn-once.ts'

export type SideRow =
  | { readonly type: 'ask-opened'; readonly id: AskId; readonly at: string }
  | { readonly type: 'ask-closed'; readonly id: AskId }
  | { readonly type: 'seed-used'; readonly seed: string }
  | { readonly type: 'usage-booked'; readonly seq: number; readonly booking: Booking }
  | { readonly type: 'warning-given'; readonly mark: WarningMark }

/** @param state the session after these events. */
export function sideRowOf(event: SessionEvent, state: SessionState): SideRow | null {
  switch (event.type) {
    case 'AgentSessionCreated':
      return event.data.seed === undefined ? null : { type: 'seed-used', seed: event.data.seed }
    case 'ApprovalRequested':
      return { type: 'ask-opened', id: event.data.approvalId, at: event.at }
    case 'ApprovalDecided':
    case 'ApprovalExpired':
      return { type: 'ask-closed', id: event.data.approvalId }
    case 'QuestionAsked':
      return { type: 'ask-opened', id: event.data.questionId, at: event.at }
    case 'QuestionAnswered':
    case 'QuestionExpired':
      return { type: 'ask-closed', id: event.data.questionId }
    case 'ClientToolCalled':
      return { type: 'ask-opened', id: event.data.callId, at: event.at }
    case 'ClientToolReturned':
    case 'ClientToolExpired':
      return { type: 'ask-closed', id: event.data.callId }
    case 'UsageRecorded':
      return { type: 'usage-booked', seq: event.seq, booking: bookingOf(event, state) }
    case 'BudgetWarning': {
      const mark = warningMarkOf(event.data)
      return mark === null ? null : { type: 'warning-given', mark }
    }
    default:
      return null
  }
}

function bookingOf({ sessionId, at, data }: EventOfType<'UsageRecorded'>, state: SessionState): Booking {
  const { requestId, apiMessageId, model, servedModel, tokens, costUsd, source, units = 0, highCostUsd = null } = data
  const { owner, agentName } = state
  return {
    sessionId,
    requestId,
    apiMessageId,
    model,
    servedModel,
    tokens,
    costUsd,
    units,
    highCostUsd,
    source,
    at,
    owner,
    startedBy: starterOf(state),
    agentName,
    isSimulated: state.modelSource === 'simulator',
  }
}
