import type { AuditDraft } from '../audit/audit-entry.ts'

/** What the audit chain says about a key. */
export const keyEntry = (action: 'key.created' | 'key.revoked', name: string, by: string): AuditDraft => ({
  ...{ principal: by, action, sessionId: null, subject: name, detail: {} },
})
