import type { SessionState } from '@quarterdeck/protocol'
import { sql } from 'kysely'
import type { EventStore } from '../../ports/event-store.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'
import { listSessions } from './list-sessions.ts'
import type { StateRow } from './session-states.ts'

type Sessions = Pick<
  EventStore,
  'load' | 'list' | 'listByStatus' | 'countByStatus' | 'findAsk' | 'findSeed' | 'listWaiting'
>

export function createSqlSessions({ db, states }: Pick<SqlDependencies, 'db' | 'states'>): Sessions {
  const rows = db.selectFrom('sessions').select(['sessions.session_id', 'sessions.seq', 'sessions.state'])
  const statesOf = (found: readonly StateRow[]): Promise<SessionState[]> =>
    Promise.all(found.map((row) => states.ofRow(db, row)))

  return {
    async load(sessionId) {
      const row = await rows.where('session_id', '=', sessionId).executeTakeFirst()
      return row === undefined ? null : await states.ofRow(db, row)
    },
    list: (filter, page) => listSessions(db, { filter, page, statesOf }),
    async listByStatus(statuses) {
      if (statuses.length === 0) return []
      return statesOf(await rows.where('status', 'in', statuses).execute())
    },
    async countByStatus() {
      const count = sql<number>`count(*)`.as('sessions')
      const found = await db.selectFrom('sessions').select(['status', count]).groupBy('status').execute()
      return new Map(found.map(({ status, sessions }) => [status, Number(sessions)]))
    },
    async findAsk(id) {
      const ask = await db.selectFrom('asks').select('session_id').where('ask_id', '=', id).executeTakeFirst()
      return ask?.session_id ?? null
    },
    async findSeed(seed) {
      const found = await db
        .selectFrom('session_seeds')
        .select('session_id')
        .where('seed', '=', seed)
        .executeTakeFirst()
      return found?.session_id ?? null
    },
    async listWaiting() {
      const waiting = db
        .selectFrom('asks')
        .select(({ fn }) => ['session_id', fn.min('asked_at').as('oldest')])
        .where('is_open', '=', 1)
        .groupBy('session_id')
        .as('waiting')
      const found = await rows
        .innerJoin(waiting, 'waiting.session_id', 'sessions.session_id')
        .orderBy('waiting.oldest')
        .orderBy('sessions.session_id')
        .execute()
      return statesOf(found)
    },
  }
}
