import { verifyAudit } from '../../audit/verify-audit.ts'
import { verifyLedgerSums } from '../../audit/verify-ledger-sums.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { SessionOperations } from '../session-service.ts'

export function createAuditOperations(store: EventStore) {
  return {
    async readAudit({ after, limit }) {
      return { entries: [...(await store.readAudit(after, limit))] }
    },
    async verifyAudit() {
      const loss = await store.findLoss()
      if (loss !== null) return { ok: false, seq: loss.seq, problem: loss.problem, detail: loss.detail }
      const verdict = await verifyAudit(store)
      return verdict.ok ? ((await verifyLedgerSums(store, verdict.entries)) ?? verdict) : verdict
    },
  } satisfies Partial<SessionOperations>
}
