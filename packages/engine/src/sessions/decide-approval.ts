// Asking a person, and what each answer does: to a process that waits for it, or to one that has to be woken.
import {
  type DecideApproval,
  draft,
  type EventDraft,
  type ExpireApproval,
  QuarterdeckError,
  type RequestApproval,
  type SessionState,
  type TakeUpApproval,
  type UseGrant,
  untoldDecision,
} from '@quarterdeck/protocol'
import { isSameCall } from '../tools/normalise-input.ts'
import { requireFittingInput, requireOpenApproval, requireTurn, requireTurnOver } from './invariants.ts'
import { moveTo } from './status-drafts.ts'
import { wakeMessage } from './wake-message.ts'

export function requestApproval(state: SessionState, command: RequestApproval): readonly EventDraft[] {
  const turnId = requireTurn(state).turn?.turnId
  const { type: _, agent, effects, ...asked } = command
  const place = turnId === undefined ? { agent } : { agent, turnId }
  const requested = draft('ApprovalRequested', { ...asked, effects: [...effects] }, place)
  return state.status === 'running' ? [requested, moveTo(state, 'waiting_approval')] : [requested]
}

/** Says that the turn waits; an answer that was faster leaves nothing to say. */
export function takeUpApproval(state: SessionState, { approvalId }: TakeUpApproval): readonly EventDraft[] {
  const isOpen = state.approvals.some((open) => open.approvalId === approvalId)
  return isOpen && state.status === 'running' ? [moveTo(state, 'waiting_approval')] : []
}

export function decideApproval(state: SessionState, command: DecideApproval): readonly EventDraft[] {
  const request = requireOpenApproval(state, command.approvalId)
  if (!command.isLive) requireTurnOver(state, request)
  if (command.input !== null) requireFittingInput(request.toolInput, command.input)
  const isAllowed = command.decision !== 'deny'
  const toolInput = isAllowed ? (command.input ?? request.toolInput) : null
  const decided = draft(
    'ApprovalDecided',
    {
      approvalId: request.approvalId,
      decision: command.decision,
      toolInput,
      edited: toolInput !== null && !isSameCall(request, { ...request, toolInput }),
      note: command.note,
      by: command.by,
      rule: command.decision === 'allow_session' ? request.sessionRule : null,
      wasLive: command.isLive,
    },
    { agent: request.agent, ...(state.turn === null ? {} : { turnId: state.turn.turnId }) },
  )
  const isLast = state.approvals.length === 1
  if (command.isLive)
    return isLast && state.status === 'waiting_approval' ? [decided, moveTo(state, 'running')] : [decided]
  // Wakes once, when the last open question is answered, so that the agent hears all answers together.
  return isLast ? [decided, ...wake(state, command, decided)] : [decided]
}

function wake(
  state: SessionState,
  { approvalId, wakeMessageId }: DecideApproval,
  decided: EventDraft<'ApprovalDecided'>,
): readonly EventDraft[] {
  const told = untoldDecision(requireOpenApproval(state, approvalId), decided.data)
  const content = wakeMessage([...state.untold, told])
  const queued = draft('UserMessageQueued', {
    messageId: wakeMessageId,
    content,
    origin: 'engine',
    by: 'quarterdeck',
  })
  return state.turn === null ? [queued, moveTo(state, 'queued')] : [queued]
}

export function expireApproval(state: SessionState, command: ExpireApproval): readonly EventDraft[] {
  const request = requireOpenApproval(state, command.approvalId)
  const expired = draft('ApprovalExpired', { approvalId: request.approvalId }, { agent: request.agent })
  if (state.approvals.length > 1 || state.status !== 'waiting_approval') return [expired]
  return [expired, moveTo(state, state.turn === null ? 'interrupted' : 'running')]
}

export function useGrant(state: SessionState, command: UseGrant): readonly EventDraft[] {
  if (!state.grants.some(({ approvalId }) => approvalId === command.approvalId)) {
    throw new QuarterdeckError('approval.already-decided', `the grant of ${command.approvalId} is used up`)
  }
  return [draft('ApprovalUsed', { approvalId: command.approvalId, toolUseId: command.toolUseId })]
}
