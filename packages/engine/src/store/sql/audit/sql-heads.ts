// Compares this database with the notes of its commits.
import type { SessionId } from '@quarterdeck/protocol'
import { findLoss, type LossSource } from '../../../audit/find-loss.ts'
import type { HeadsFile } from '../../../audit/heads-file.ts'
import type { AuditStore } from '../../ports/audit-store.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'

/** Far below the number of parameters that a database accepts in one query. */
const sessionsPerQuery = 500

/** @param heads `null` if no notes are stored. */
export function createSqlHeads(
  { db }: Pick<SqlDependencies, 'db'>,
  audit: Omit<AuditStore, 'findLoss' | 'acceptLoss'>,
  heads: HeadsFile | null,
): Pick<AuditStore, 'findLoss' | 'acceptLoss'> {
  const source: LossSource = {
    auditHead: audit.auditHead,
    isDeletedAfter: audit.isDeletedAfter,
    async hashOfEntry(seq) {
      const row = await db.selectFrom('audit').select('hash').where('seq', '=', seq).executeTakeFirst()
      return row?.hash ?? null
    },
    async lastEvents(sessionIds) {
      const found = new Map<SessionId, number>()
      for (let from = 0; from < sessionIds.length; from += sessionsPerQuery) {
        const some = sessionIds.slice(from, from + sessionsPerQuery)
        const query = db.selectFrom('sessions').select(['session_id', 'seq']).where('session_id', 'in', some)
        for (const { session_id, seq } of await query.execute()) found.set(session_id, seq)
      }
      return found
    },
  }
  return {
    findLoss: async (notes) => findLoss(notes ?? (await heads?.read()) ?? [], source),
    async acceptLoss(draft) {
      const entry = await audit.audit(draft)
      await heads?.clear()
      heads?.add({ entries: entry.seq, hash: entry.hash, sessions: {} })
    },
  }
}
