import type { SessionId } from '@quarterdeck/protocol'
import type { Clock } from '../../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { lineAt } from '../audit/audit-lines.ts'
import { deletionEntry } from '../audit/change-entries.ts'
import type { AddToChain } from '../audit/sql-audit.ts'
import type { Commit } from '../database/group-commit.ts'
import type { SessionStates } from './session-states.ts'
import { removePieces } from './text-pieces.ts'

interface RemoveDeps {
  readonly commit: Commit
  readonly addToChain: AddToChain
  readonly states: SessionStates
  readonly clock: Clock
}

/** Children first: they refer to the session's row. */
const tables = [
  'open_texts',
  'begun_answers',
  'outbox',
  'asks',
  'session_seeds',
  'session_tags',
  'leases',
  'events',
  'sessions',
] as const

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
