// The effects of approvals on later calls: one-time grants for approved calls, and the rules of the session.
import {
  draft,
  type EventDraft,
  formatRule,
  QuarterdeckError,
  type RevokeRule,
  type SessionState,
  type UseGrant,
} from '@quarterdeck/protocol'

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
