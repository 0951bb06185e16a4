import type { Kysely, Migration } from 'kysely'
import type { AuditDraft } from '../../../audit/audit-entry.ts'
import { sessionAdopted } from '../../../audit/verify-audit.ts'
import { createAddToChain } from '../audit/add-to-chain.ts'
import { lineAt } from '../audit/audit-lines.ts'
import { factsOfKey, keyAdopted } from '../audit/change-entries.ts'
import { compileHotQueries } from '../database/compile-hot-queries.ts'
import { keyOfRow } from '../database/key-row.ts'
import type { StoreTables } from '../database/tables.ts'

/**
 * Adds existing keys with their terms, and sessions without an entry, to the chain, so that verification can compare them
 * with it. One more entry records the adoption. Verification reports a key whose row contradicts its earlier entries.
 */
export const keysAndSessionsInTheChain: Migration = {
  async up(db: Kysely<StoreTables>) {
    const keys = await db.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute()
    const inChain = db.selectFrom('audit').select('session_id').where('event_seq', '=', 1)
    const sessions = await db
      .selectFrom('sessions')
      .select(['session_id', 'owner'])
      .where('session_id', 'not in', inChain)
      .orderBy('created_at')
      .execute()
    if (keys.length === 0 && sessions.length === 0) return
    const drafts: readonly AuditDraft[] = [
      {
        principal: 'engine',
        action: 'audit.adopted',
        sessionId: null,
        subject: 'database',
        detail: { keys: keys.length, sessions: sessions.length },
      },
      ...keys.map((row) => keyAdopted(factsOfKey({ ...keyOfRow(row), hash: row.hash }))),
      ...sessions.map(({ session_id: sessionId, owner }) => ({
        principal: 'engine',
        action: sessionAdopted,
        sessionId,
        subject: sessionId,
        detail: { owner },
      })),
    ]
    const lines = drafts.map((draft) => lineAt({ now: () => new Date() }, draft))
    await createAddToChain(compileHotQueries(db)).addToChain(db, lines)
  },
}
