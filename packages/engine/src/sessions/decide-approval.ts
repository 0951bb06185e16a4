// Asking a person, and what each answer does: to a process that waits for it, or to one that has to be woken.
import {
  type ApprovalId,
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
import { moveTo, queueUp } from './status-drafts.ts'
import { wake } from './wake-message.ts'

export function requestApproval(state: SessionState, command: RequestApproval): readonly EventDraft[] {
  const turnId = requireTurn(state).turn?.turnId
  const { type: _, agent, effects, ...asked } = command
  const place = turnId === undefined ? { agent } : { agent, turnId }
  const requested = draft('ApprovalRequested', { ...asked, effects: [...effects] }, place)
  return state.status === 'running' ? [requested, moveTo(state, 'waiting_approval')] : [requested]
}

/** The turn waits for it from here on; an answer that was faster leaves nothing to take up. */
export function takeUpApproval(state: SessionState, { approvalId }: TakeUpApproval): readonly EventDraft[] {
  const turnId = requireTurn(state).turn?.turnId
  const request = state.approvals.find((open) => open.approvalId === approvalId)
  if (request === undefined) return []
  const place = turnId === undefined ? { agent: request.agent } : { agent: request.agent, turnId }
  const takenUp = draft('ApprovalTakenUp', { approvalId }, place)
  return state.status === 'running' ? [takenUp, moveTo(state, 'waiting_approval')] : [takenUp]
}

/** Whether the running turn waits for another answer than this one. */
const waitsForOthers = (state: SessionState, approvalId: ApprovalId): boolean =>
  state.approvals.some((open) => open.turnId === state.turn?.turnId && open.approvalId !== approvalId)

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
  if (command.isLive) return [decided, ...goOn(state, request.approvalId)]
  // Wakes once, when the last open question is answered, so that the agent hears all answers together. A turn that
  // runs may still issue the call by itself: its end tells the rest.
  if (state.turn !== null || state.approvals.length > 1) return [decided]
  const untold = [...state.untold, untoldDecision(request, decided.data)]
  return [decided, ...wake(untold, command.wakeMessageId), ...queueUp(state)]
}

/** The turn goes on when the last answer it waits for is there. */
function goOn(state: SessionState, approvalId: ApprovalId): readonly EventDraft[] {
  const isOver = state.status === 'waiting_approval' && !waitsForOthers(state, approvalId)
  return isOver ? [moveTo(state, 'running')] : []
}

export function expireApproval(state: SessionState, command: ExpireApproval): readonly EventDraft[] {
  const { approvalId, agent } = requireOpenApproval(state, command.approvalId)
  const expired = draft('ApprovalExpired', { approvalId }, { agent })
  if (state.turn !== null) return [expired, ...goOn(state, approvalId)]
  if (state.approvals.length > 1 || state.status !== 'waiting_approval') return [expired]
  const woken = wake(state.untold, command.wakeMessageId)
  return [expired, ...woken, moveTo(state, woken.length > 0 ? 'queued' : 'interrupted')]
}

export function useGrant(state: SessionState, command: UseGrant): readonly EventDraft[] {
  if (!state.grants.some(({ approvalId }) => approvalId === command.approvalId)) {
    throw new QuarterdeckError('approval.already-decided', `the grant of ${command.approvalId} is used up`)
  }
  return [draft('ApprovalUsed', { approvalId: command.approvalId, toolUseId: command.toolUseId })]
}
