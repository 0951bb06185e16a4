// The places of events in the log, for its verification.
import { type Kysely, SqliteAdapter, sql } from 'kysely'
import { auditedTypes } from '../../../audit/audit-draft-of.ts'
import { sessionAdopted } from '../../../audit/verify-audit.ts'
import type { LogSource } from '../../../audit/verify-log.ts'
import { knownKinds, sessionKind } from '../../ports/streams.ts'
import type { StoreTables } from '../database/tables.ts'

export function createSqlLogProofs(db: Kysely<StoreTables>): LogSource {
  return {
    knownKinds,
    async logEnd() {
      // One query, so that a deletion cannot come between the values.
      const { rows } = await sql<Record<'last' | 'floor' | 'assigned', number | null>>`select
        (select max(position) from stream_events) as last,
        (select position from log_floor where id = 1) as floor,
        ${assignedOn(db)} as assigned
      `.execute(db)
      const { last = null, floor = null, assigned = null } = rows[0] ?? {}
      return { last: Number(last ?? 0), floor: numberOf(floor), assigned: numberOf(assigned) }
    },
    async readStreams(after, limit) {
      const rows = await db
        .selectFrom('stream_events as events')
        .leftJoin('sessions', (join) =>
          join.on('events.kind', '=', sessionKind).onRef('sessions.session_id', '=', 'events.stream_id'),
        )
        .select(['events.kind', 'events.stream_id as streamId', 'events.seq', 'events.position'])
        .select('sessions.seq as sessionSeq')
        .$if(after !== null, (query) =>
          query.where(
            sql<boolean>`(events.stream_id, events.kind, events.seq) > (${after?.streamId}, ${after?.kind}, ${after?.seq})`,
          ),
        )
        .orderBy('events.stream_id')
        .orderBy('events.kind')
        .orderBy('events.seq')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ ...row, position: Number(row.position) }))
    },
    async readAudited(after, upTo, limit) {
      const rows = await db
        .selectFrom('stream_events')
        .select(['kind', 'stream_id as streamId', 'seq', 'position', 'type'])
        .where('position', '>', after)
        .where('position', '<=', upTo)
        .where('kind', '=', sessionKind)
        .where('type', 'in', auditedTypes)
        .orderBy('position')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ ...row, position: Number(row.position) }))
    },
    async adoptions() {
      const rows = await db
        .selectFrom('audit')
        .select(['session_id', 'seq'])
        .where('action', '=', sessionAdopted)
        .execute()
      return new Map(rows.map(({ session_id, seq }) => [session_id ?? '', seq]))
    },
    async sessionWithoutEvents() {
      const row = await db
        .selectFrom('sessions')
        .leftJoin('stream_events as events', (join) =>
          join
            .on('events.kind', '=', sessionKind)
            .onRef('events.stream_id', '=', 'sessions.session_id')
            .on('events.seq', '=', 1),
        )
        .select('sessions.session_id')
        .where('events.seq', 'is', null)
        .limit(1)
        .executeTakeFirst()
      return row?.session_id ?? null
    },
  }
}

const numberOf = (value: number | null): number | null => (value === null ? null : Number(value))

/** SQLite keeps the last assigned position in a table. A log without a first event has no row there. */
const assignedOn = (db: Kysely<StoreTables>) =>
  db.getExecutor().adapter instanceof SqliteAdapter
    ? sql`coalesce((select seq from sqlite_sequence where name = 'stream_events'), 0)`
    : sql`null`
