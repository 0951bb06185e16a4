// Approvals: what is open, what was decided, and what a decision still allows.
import type { EventOfType } from '../../events/session-event.ts'
import type { Unreported, UnreportedDecision } from '../../events/unreported.ts'
import { historyLimit } from './history-limit.ts'
import type { DecidedApproval, Grant, OpenApproval, SessionState } from './session-state.ts'

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
  const { approvalId, decision, by, rule, wasLive } = event.data
  const request = state.approvals.find((approval) => approval.approvalId === approvalId)
  const settled = settleApproval(state, { approvalId, decision, by, at: event.at })
  const rules = rule === null ? settled.rules : [...settled.rules, rule]
  if (wasLive || request === undefined) return { ...settled, rules }
  return reportLater({ ...settled, rules }, unreportedDecision(request, event.data))
}

/** What the agent has to be told about a decision it was not there to hear. */
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

/** The agent hears it when it wakes. Until then a call that was allowed may run once, unless it may have run already. */
export function reportLater(state: SessionState, untold: Unreported): SessionState {
  const next = { ...state, untold: [...state.untold, untold] }
  if (untold.type !== 'decision' || !untold.isAllowed || untold.mayHaveRun === true) return next
  const { type: _, isAllowed: _allowed, note: _note, mayHaveRun: _ran, ...grant } = untold
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
