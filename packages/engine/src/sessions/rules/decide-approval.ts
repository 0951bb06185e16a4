// Requests and decisions of approvals, for a process that waits and for one that has to be woken.
import {
  type DecideApproval,
  draft,
  type EventDraft,
  type ExpireApproval,
  formatRule,
  type OpenApproval,
  offeredRules,
  type PermissionRule,
  QuarterdeckError,
  type RequestApproval,
  type RevokeRule,
  type SessionState,
  type TakeUpApproval,
  type UseGrant,
  unreportedDecision,
} from '@quarterdeck/protocol'
import { isSameCall } from '../../permissions/calls/normalise-input.ts'
import { requireFittingInput, requireOpenApproval } from './invariants.ts'
import { originInTurn, requireTurnOver, settleAsk, waitAlso } from './settle-ask.ts'

export function requestApproval(state: SessionState, command: RequestApproval): readonly EventDraft[] {
  const origin = originInTurn(state, command.agent)
  const { type: _, agent: _agent, effects, widerRules, ...asked } = command
  const wider = widerRules === undefined ? {} : { widerRules: [...widerRules] }
  const requested = draft('ApprovalRequested', { ...asked, ...wider, effects: [...effects] }, origin)
  return [requested, ...waitAlso(state, 'waiting_approval')]
}

/** From here on the turn waits for the open approval. Nothing to do if it was decided first. */
export function takeUpApproval(state: SessionState, { approvalId }: TakeUpApproval): readonly EventDraft[] {
  const request = state.approvals.find((open) => open.approvalId === approvalId)
  if (request === undefined) return []
  const takenUp = draft('ApprovalTakenUp', { approvalId }, originInTurn(state, request.agent))
  return [takenUp, ...waitAlso(state, 'waiting_approval')]
}

export function decideApproval(state: SessionState, command: DecideApproval): readonly EventDraft[] {
  const { approvalId, isLive, wakeMessageId } = command
  const request = requireOpenApproval(state, approvalId)
  if (!isLive) requireTurnOver(state, { id: approvalId, turnId: request.turnId, keepsAsks: command.keepsAsks === true })
  if (command.input !== null) requireFittingInput(request, command.input)
  const isAllowed = command.decision !== 'deny'
  const toolInput = isAllowed ? (command.input ?? request.toolInput) : null
  const inputHash = command.input === null ? request.inputHash : command.inputHash
  const decided = draft(
    'ApprovalDecided',
    {
      approvalId,
      decision: command.decision,
      toolInput,
      ...(toolInput === null || inputHash === undefined ? {} : { inputHash }),
      edited: toolInput !== null && !isSameCall(request, { ...request, toolInput }),
      note: command.note,
      by: command.by,
      rule: command.decision === 'allow_session' ? offeredRule(request, command.rule) : null,
      wasLive: isLive,
    },
    { agent: request.agent, ...(state.turn === null ? {} : { turnId: state.turn.turnId }) },
  )
  const unreported = isLive ? null : unreportedDecision(request, decided.data)
  return [decided, ...settleAsk(state, { id: approvalId, unreported, wakeMessageId })]
}

/** Only rules that were shown to the person can be added. */
function offeredRule(request: OpenApproval, wanted: PermissionRule = request.sessionRule): PermissionRule {
  const rules = offeredRules(request).map(({ rule }) => rule)
  const found = rules.find(({ tool, pattern }) => tool === wanted.tool && pattern === wanted.pattern)
  if (found !== undefined) return found
  const detail = `rule: ${formatRule(wanted)} is not offered for this approval. Choose one of: ${rules.map(formatRule).join(', ')}`
  throw new QuarterdeckError('request.invalid', detail)
}

export function expireApproval(state: SessionState, command: ExpireApproval): readonly EventDraft[] {
  const { approvalId, agent } = requireOpenApproval(state, command.approvalId)
  const { wakeMessageId } = command
  const expired = draft('ApprovalExpired', { approvalId }, { agent })
  return [expired, ...settleAsk(state, { id: approvalId, unreported: null, wakeMessageId })]
}

export function useGrant(state: SessionState, command: UseGrant): readonly EventDraft[] {
  if (!state.grants.some(({ approvalId }) => approvalId === command.approvalId)) {
    throw new QuarterdeckError('approval.already-decided', `the grant of ${command.approvalId} is used up`)
  }
  return [draft('ApprovalUsed', { approvalId: command.approvalId, toolUseId: command.toolUseId })]
}

/** From here on, calls that this session rule allowed need an approval again. Running calls are not stopped. */
export function revokeRule(state: SessionState, { rule, by }: RevokeRule): readonly EventDraft[] {
  if (state.rules.some(({ tool, pattern }) => tool === rule.tool && pattern === rule.pattern)) {
    return [draft('SessionRuleRevoked', { rule, by })]
  }
  const detail = `session ${state.sessionId} has no rule ${formatRule(rule)}: its snapshot lists its rules`
  throw new QuarterdeckError('approval.rule-not-found', detail)
}
