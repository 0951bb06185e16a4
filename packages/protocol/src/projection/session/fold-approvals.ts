// Approvals: what is open, what was decided, and what a decision still allows.
import type { EventOfType } from '../../events/session-event.ts'
import { historyLimit } from './history-limit.ts'
import type { DecidedApproval, Grant, OpenApproval, SessionState, UntoldDecision } from './session-state.ts'

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

/** What was used needs no telling any more. */
export function endGrant(state: SessionState, { approvalId }: Pick<Grant, 'approvalId'>): SessionState {
  return {
    ...state,
    grants: state.grants.filter((grant) => grant.approvalId !== approvalId),
    untold: state.untold.filter((untold) => untold.type !== 'decision' || untold.approvalId !== approvalId),
  }
}

export function decideApproval(state: SessionState, event: EventOfType<'ApprovalDecided'>): SessionState {
  const { approvalId, decision, by, rule, toolInput, wasLive } = event.data
  const request = state.approvals.find((approval) => approval.approvalId === approvalId)
  const settled = settleApproval(state, { approvalId, decision, by, at: event.at })
  const rules = rule === null ? settled.rules : [...settled.rules, rule]
  if (wasLive || request === undefined) return { ...settled, rules }
  const { toolName } = request
  const grants = toolInput === null ? settled.grants : [...settled.grants, { approvalId, toolName, toolInput }]
  return { ...settled, rules, grants, untold: [...settled.untold, untoldDecision(request, event.data)] }
}

/** What the agent has to be told about a decision it was not there to hear. */
export function untoldDecision(request: OpenApproval, decided: EventOfType<'ApprovalDecided'>['data']): UntoldDecision {
  const { toolInput, note } = decided
  const { approvalId, toolName } = request
  const isAllowed = toolInput !== null
  return { type: 'decision', approvalId, isAllowed, toolName, toolInput: toolInput ?? request.toolInput, note }
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
