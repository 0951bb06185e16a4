// Approvals: open ones, decided ones, and the grants of decisions.
import type { EventOfType } from '../../events/session-event.ts'
import type { Unreported, UnreportedDecision } from '../../events/unreported.ts'
import {
  type DecidedApproval,
  type Grant,
  historyLimit,
  type OpenApproval,
  type SessionState,
} from './session-state.ts'

export function requestApproval(state: SessionState, event: EventOfType<'ApprovalRequested'>): SessionState {
  const { sessionId, seq, at, agent, turnId } = event
  const approval = { ...event.data, sessionId, seq, at, agent, turnId: turnId ?? null }
  return { ...state, approvals: [...state.approvals, approval], activity: `Wants to use ${event.data.toolName}` }
}

export function takeUpApproval(state: SessionState, { data, turnId }: EventOfType<'ApprovalTakenUp'>): SessionState {
  const approvals = state.approvals.map((open) =>
    open.approvalId === data.approvalId ? { ...open, turnId: turnId ?? null } : open,
  )
  return { ...state, approvals }
}

/** A used grant need not be reported to the agent. */
export function endGrant(state: SessionState, { approvalId }: Pick<Grant, 'approvalId'>): SessionState {
  return {
    ...state,
    grants: state.grants.filter((grant) => grant.approvalId !== approvalId),
    unreported: state.unreported.filter(
      (unreported) => unreported.type !== 'decision' || unreported.approvalId !== approvalId,
    ),
  }
}

export function decideApproval(state: SessionState, event: EventOfType<'ApprovalDecided'>): SessionState {
  const { approvalId, decision, by, rule, wasLive } = event.data
  const request = state.approvals.find((approval) => approval.approvalId === approvalId)
  const settled = settleApproval(state, { approvalId, decision, by, at: event.at })
  const rules = rule === null ? settled.rules : [...settled.rules, rule]
  if (wasLive || request === undefined) return { ...settled, rules }
  return reportLater({ ...settled, rules }, unreportedDecision(request, event.data))
}

/** A decision without a waiting process, which the agent learns when it wakes. */
export function unreportedDecision(
  request: OpenApproval,
  decided: EventOfType<'ApprovalDecided'>['data'],
): UnreportedDecision {
  const { toolInput, note, inputHash } = decided
  const { approvalId, toolName, seq } = request
  const isAllowed = toolInput !== null
  const call = {
    toolName,
    toolInput: toolInput ?? request.toolInput,
    ...(inputHash === undefined ? {} : { inputHash }),
  }
  return { type: 'decision', seq, approvalId, isAllowed, ...call, note }
}

/** The agent learns it when it wakes. Until then an allowed call may run once, unless it may have run already. */
export function reportLater(state: SessionState, unreported: Unreported): SessionState {
  const next = { ...state, unreported: [...state.unreported, unreported] }
  if (unreported.type !== 'decision' || !unreported.isAllowed || unreported.mayHaveRun === true) return next
  const { type: _, isAllowed: _allowed, note: _note, mayHaveRun: _ran, ...grant } = unreported
  return { ...next, grants: [...state.grants, grant] }
}

export function settleApproval(state: SessionState, decided: DecidedApproval): SessionState {
  return {
    ...state,
    approvals: state.approvals.filter((approval) => approval.approvalId !== decided.approvalId),
    decided: [...state.decided, decided].slice(-historyLimit),
  }
}

export function revokeRule(state: SessionState, { data }: EventOfType<'SessionRuleRevoked'>): SessionState {
  const { tool, pattern } = data.rule
  return { ...state, rules: state.rules.filter((rule) => rule.tool !== tool || rule.pattern !== pattern) }
}
