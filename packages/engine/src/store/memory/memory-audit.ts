import { type AuditDraft, type AuditRecord, emptyChain, entryOfRecord } from '../../audit/audit-entry.ts'
import type { Booked } from '../../audit/booked.ts'
import { type AuditLine, chainEntries, headAfter } from '../../audit/chain-entries.ts'
import type { RecordedOwners } from '../../audit/verify-audit.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AuditStore } from '../ports/audit-store.ts'
import { lineAt } from '../sql/audit/audit-lines.ts'
import { sessionDeleted } from '../sql/audit/change-entries.ts'

export interface MemoryAudit extends Omit<AuditStore, 'keyFacts'> {
  add(lines: readonly AuditLine[]): readonly AuditRecord[]
  note(draft: AuditDraft): void
}

/** What an entry tells of, as log and ledger have it now. */
interface Now {
  readonly hashOfEvent: (record: AuditRecord) => string | null
  readonly bookedFor: (record: AuditRecord) => Promise<Booked | null>
  readonly ownersFor: (record: AuditRecord) => RecordedOwners | null
}

export function createMemoryAudit(clock: Clock, now: Now): MemoryAudit {
  const chain: AuditRecord[] = []
  const page = (afterSeq: number, limit: number) => chain.slice(afterSeq, afterSeq + limit)
  const head = () => headAfter(chain, emptyChain)

  function add(lines: readonly AuditLine[]): readonly AuditRecord[] {
    const records = chainEntries(head(), lines)
    chain.push(...records)
    return records
  }
  const addDraft = (draft: AuditDraft) => add([lineAt(clock, draft)])

  return {
    add,
    note: (draft) => void addDraft(draft),
    async audit(draft) {
      const [record] = addDraft(draft)
      if (record === undefined) throw new Error('an audit entry was not written')
      return entryOfRecord(record)
    },
    readAudit: async (afterSeq, limit) => page(afterSeq, limit).map(entryOfRecord),
    readAuditProofs: async (afterSeq, limit) =>
      Promise.all(
        page(afterSeq, limit).map(async (record) => ({
          record,
          eventHashNow: now.hashOfEvent(record),
          booked: await now.bookedFor(record),
          session: now.ownersFor(record),
        })),
      ),
    auditHead: async () => head(),
    // Nothing outlives this process, so nothing can be lost from it.
    findLoss: async () => null,
    acceptLoss: async (draft) => void addDraft(draft),
    // The log and the chain grow together here: there is no row that anyone else could add.
    sessionOutsideChain: async () => null,
    isDeletedAfter: async (sessionId, auditSeq) =>
      chain.slice(auditSeq).some((record) => record.action === sessionDeleted && record.sessionId === sessionId),
  }
}
