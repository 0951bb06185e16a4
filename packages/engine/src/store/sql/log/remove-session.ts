import type { SessionId } from '@quarterdeck/protocol'
import { type Kysely, sql } from 'kysely'
import type { EventStore } from '../../ports/event-store.ts'
import { sessionKind } from '../../ports/streams.ts'
import { lineAt } from '../audit/audit-lines.ts'
import { deletionEntry } from '../audit/change-entries.ts'
import type { StoreTables } from '../database/tables.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'
import { removePieces } from './text-pieces.ts'

/** Children first: they refer to the session's row. */
const tables = [
  'open_texts',
  'begun_answers',
  'outbox',
  'asks',
  'session_seeds',
  'session_tags',
  'leases',
  'sessions',
] as const

type RemoveDeps = Pick<SqlDependencies, 'commit' | 'addToChain' | 'states' | 'clock'>

export function createRemove({ commit, addToChain, states, clock }: RemoveDeps): EventStore['remove'] {
  return async (sessionId: SessionId, by) => {
    const isRemoved = await commit(async (trx, touch) => {
      const row = await trx
        .selectFrom('sessions')
        .select(['seq', 'agent_name', 'owner'])
        .where('session_id', '=', sessionId)
        .executeTakeFirst()
      if (row === undefined) return false
      for (const table of tables) await trx.deleteFrom(table).where('session_id', '=', sessionId).execute()
      await raiseFloor(trx)
      await trx.deleteFrom('stream_events').where('kind', '=', sessionKind).where('stream_id', '=', sessionId).execute()
      await removePieces(trx, sessionId)
      const facts = { events: row.seq, agentName: row.agent_name, owner: row.owner }
      await addToChain(trx, [lineAt(clock, deletionEntry(sessionId, facts, by))])
      touch(sessionId, 0)
      return true
    })
    states.forget(sessionId)
    return isRemoved
  }
}

/** Before a deletion, which may take the last events of the log. */
async function raiseFloor(trx: Kysely<StoreTables>): Promise<void> {
  const last = sql<number>`(select max(position) from stream_events)`
  await trx.updateTable('log_floor').set({ position: last }).where('position', '<', last).execute()
}
