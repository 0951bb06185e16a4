// What the audit chain says about a key.
import type { AuditDraft } from '../audit/audit-entry.ts'
import type { NewKey } from './key-store.ts'

export const keyCreated = ({ name, scope, owner, expiresAt, requestsPerMinute }: NewKey, by: string): AuditDraft => ({
  ...{ principal: by, action: 'key.created', sessionId: null, subject: name },
  detail: {
    ...{ scope, owner },
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(requestsPerMinute === null ? {} : { requestsPerMinute }),
  },
})

export const keyRevoked = (name: string, by: string): AuditDraft => ({
  ...{ principal: by, action: 'key.revoked', sessionId: null, subject: name, detail: {} },
})
