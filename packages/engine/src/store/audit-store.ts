import type { AuditDraft, AuditEntry } from '../audit/audit-entry.ts'
import type { AuditSource } from '../audit/verify-audit.ts'

export interface AuditStore extends AuditSource {
  /** Adds an entry to the chain for what no session's log tells of. */
  audit(draft: AuditDraft): Promise<AuditEntry>
  /** Entries with a greater `seq`, in order, at most `limit`. */
  readAudit(afterSeq: number, limit: number): Promise<readonly AuditEntry[]>
}
