import { verifyAudit } from '../audit/verify-audit.ts'
import { verifyBooks } from '../audit/verify-books.ts'
import type { EventStore } from '../store/event-store.ts'
import type { ProofDoors } from './session-service.ts'

export function createProofDoors(store: EventStore): ProofDoors {
  return {
    audit: (after, limit) => store.readAudit(after, limit),
    async verifyAudit() {
      const loss = await store.findLoss()
      if (loss !== null) return { ok: false, seq: loss.seq, problem: loss.problem, detail: loss.detail }
      const verdict = await verifyAudit(store)
      return verdict.ok ? ((await verifyBooks(store, verdict.entries)) ?? verdict) : verdict
    },
  }
}
