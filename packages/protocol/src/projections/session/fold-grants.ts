// The lasting effects of approvals: one-time grants for approved calls, and the rules of the session.
import type { EventOfType } from '../../events/session-event.ts'
import type { Unreported } from '../../events/unreported.ts'
import type { Grant, SessionState } from './session-state.ts'

/** The agent learns it when it wakes. Until then an allowed call may run once, unless it may have run already. */
export function reportLater(state: SessionState, unreported: Unreported): SessionState {
  const next = { ...state, unreported: [...state.unreported, unreported] }
  if (unreported.type !== 'decision' || !unreported.isAllowed || unreported.mayHaveRun === true) return next
  const { type: _, isAllowed: _allowed, note: _note, mayHaveRun: _ran, ...grant } = unreported
  return { ...next, grants: [...state.grants, grant] }
}

/** A used grant need not be reported to the agent. */
export const endGrant = (state: SessionState, { approvalId }: Pick<Grant, 'approvalId'>): SessionState => ({
  ...state,
  grants: state.grants.filter((grant) => grant.approvalId !== approvalId),
  unreported: state.unreported.filter(
    (unreported) => unreported.type !== 'decision' || unreported.approvalId !== approvalId,
  ),
})

export function revokeRule(state: SessionState, { data }: EventOfType<'SessionRuleRevoked'>): SessionState {
  const { tool, pattern } = data.rule
  return { ...state, rules: state.rules.filter((rule) => rule.tool !== tool || rule.pattern !== pattern) }
}
