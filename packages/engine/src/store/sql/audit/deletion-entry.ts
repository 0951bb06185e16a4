import type { SessionId } from '@quarterdeck/protocol'
import type { AuditDraft } from '../../../audit/audit-entry.ts'

interface DeletedSession {
  readonly events: number
  readonly agentName: string
  readonly owner: string
}

/** Tells whoever verifies the chain why the events of a session are gone. */
export const deletionEntry = (
  sessionId: SessionId,
  { events, agentName, owner }: DeletedSession,
  by: string,
): AuditDraft => ({
  principal: by,
  action: sessionDeleted,
  sessionId,
  subject: sessionId,
  detail: { events, agentName, owner },
})

export const sessionDeleted = 'session.deleted'
