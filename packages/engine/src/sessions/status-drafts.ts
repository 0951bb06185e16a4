import { draft, type EventDraft, type SessionState, type SessionStatus } from '@quarterdeck/protocol'

export function moveTo(
  state: Pick<SessionState, 'status'>,
  to: SessionStatus,
  reason: string | null = null,
): EventDraft<'AgentSessionStatusChanged'> {
  return draft('AgentSessionStatusChanged', { from: state.status, to, reason })
}

/** Nobody will answer these any more. */
export const expireAll = (state: SessionState): readonly EventDraft[] =>
  state.approvals.map(({ approvalId, agent }) => draft('ApprovalExpired', { approvalId }, { agent }))
