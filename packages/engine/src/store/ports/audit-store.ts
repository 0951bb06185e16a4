import type { AuditDraft, ChainEntry } from '../../audit/audit-entry.ts'
import type { Loss } from '../../audit/find-loss.ts'
import type { HeadNote } from '../../audit/head-note.ts'
import type { AuditSource } from '../../audit/verify-audit.ts'

export interface AuditStore extends AuditSource {
  /** Adds an entry to the chain for a change that no session's log records. */
  audit(draft: AuditDraft): Promise<ChainEntry>
  /** Entries with a greater `seq`, in order, at most `limit`. */
  readAudit(afterSeq: number, limit: number): Promise<readonly ChainEntry[]>
  /** Commits that are in these notes (by default the store's own) but not in the database; `null` for none. */
  findLoss(notes?: readonly HeadNote[]): Promise<Loss | null>
  /** Adds the acceptance to the chain and removes the notes of the lost commits. */
  acceptLoss(acceptance: AuditDraft): Promise<void>
}
