import type { SessionState } from '@quarterdeck/protocol'
import { type Kysely, sql } from 'kysely'
import type { EventStore } from '../event-store.ts'
import { decodeListCursor, encodeListCursor } from '../list-cursor.ts'
import type { SessionStates, StateRow } from './session-states.ts'
import type { StoreTables } from './tables.ts'

type Sessions = Pick<EventStore, 'load' | 'list' | 'listByStatus' | 'findApproval' | 'listWaiting'>

export function createSqlSessions(db: Kysely<StoreTables>, states: SessionStates): Sessions {
  const rows = db.selectFrom('sessions').select(['sessions.session_id', 'sessions.seq', 'sessions.state'])
  const statesOf = (found: readonly StateRow[]): Promise<SessionState[]> =>
    Promise.all(found.map((row) => states.ofRow(db, row)))

  return {
    async load(sessionId) {
      const row = await rows.where('session_id', '=', sessionId).executeTakeFirst()
      return row === undefined ? null : await states.ofRow(db, row)
    },
    async list({ status, agentName, tag }, { limit, cursor }) {
      const after = cursor === undefined ? undefined : decodeListCursor(cursor)
      // The table whose index has the order: sorting every session of a common tag would be slow.
      const ordered = tag === undefined ? 'sessions' : 'session_tags'
      const createdAt = sql.ref<string>(`${ordered}.created_at`)
      const sessionId = sql.ref<string>(`${ordered}.session_id`)
      let query = rows.orderBy(createdAt, 'desc').orderBy(sessionId, 'desc')
      if (tag !== undefined) query = query.$if(true, (all) => tagged(all, tag))
      if (status !== undefined) query = query.where('status', '=', status)
      if (agentName !== undefined) query = query.where('agent_name', '=', agentName)
      if (after !== undefined) {
        query = query.where(sql<boolean>`(${createdAt}, ${sessionId}) < (${after.createdAt}, ${after.sessionId})`)
      }
      // One more than asked tells whether there is a next page.
      const found = await query.limit(limit + 1).execute()
      const sessions = await statesOf(found.slice(0, limit))
      const last = sessions.at(-1)
      return { sessions, nextCursor: last !== undefined && found.length > limit ? encodeListCursor(last) : null }
    },
    async listByStatus(statuses) {
      if (statuses.length === 0) return []
      return statesOf(await rows.where('status', 'in', statuses).execute())
    },
    async findApproval(approvalId) {
      const approval = await db
        .selectFrom('approvals')
        .select('session_id')
        .where('approval_id', '=', approvalId)
        .executeTakeFirst()
      return approval?.session_id ?? null
    },
    async listWaiting() {
      const waiting = db
        .selectFrom('approvals')
        .select(({ fn }) => ['session_id', fn.min('requested_at').as('oldest')])
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

  function tagged(query: typeof rows, tag: string) {
    return query
      .innerJoin('session_tags', 'session_tags.session_id', 'sessions.session_id')
      .where('session_tags.tag', '=', tag)
  }
}
