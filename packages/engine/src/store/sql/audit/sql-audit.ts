// The audit chain in its tables.
import { parseJson, type SessionId } from '@quarterdeck/protocol'
import { type Kysely, type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { type AuditRecord, entryOfRecord, hashEvent } from '../../../audit/audit-entry.ts'
import type { Booked } from '../../../audit/booked.ts'
import { type RecordedOwners, sessionAdopted } from '../../../audit/verify-audit.ts'
import type { AuditStore } from '../../ports/audit-store.ts'
import { sessionKind } from '../../ports/streams.ts'
import { keyOfRow } from '../database/key-row.ts'
import type { AuditRow, StoreTables } from '../database/tables.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'
import { lineAt } from './audit-lines.ts'
import { factsOfKey, sessionDeleted } from './change-entries.ts'
import { createSqlLogProofs } from './sql-log-proofs.ts'

type SqlAudit = Omit<AuditStore, 'findLoss' | 'acceptLoss'>

type AuditDeps = Pick<SqlDependencies, 'db' | 'commit' | 'hot' | 'addToChain' | 'clock'>

export function createSqlAudit({ db, commit, hot, addToChain, clock }: AuditDeps): SqlAudit {
  return {
    audit: (draft) =>
      commit(async (trx) => {
        const [record] = await addToChain(trx, [lineAt(clock, draft)])
        if (record === undefined) throw new Error('an audit entry was not written')
        return entryOfRecord(record)
      }),
    async readAudit(afterSeq, limit) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('seq', '>', afterSeq)
        .orderBy('seq')
        .limit(limit)
        .execute()
      return rows.map((row) => entryOfRecord(recordOfRow(row)))
    },
    readAuditProofs: (afterSeq, limit) => readProofs(db, afterSeq, limit),
    async auditHead() {
      const { rows } = await db.executeQuery(hot.readHead())
      return rows[0] ?? null
    },
    async isDeletedAfter(sessionId, auditSeq) {
      const deletion = await db
        .selectFrom('audit')
        .select('seq')
        .where('session_id', '=', sessionId)
        .where('seq', '>', auditSeq)
        // A literal, because the partial index covers only this action.
        .where(sql<boolean>`action = ${sql.lit(sessionDeleted)}`)
        .executeTakeFirst()
      return deletion !== undefined
    },
    async keyFacts() {
      return (await db.selectFrom('keys').selectAll().execute()).map((row) =>
        factsOfKey({ ...keyOfRow(row), hash: row.hash }),
      )
    },
    sessionOutsideChain: () => findOutside(db),
    ...createSqlLogProofs(db),
  }
}

/** One pass over the chain: a session is in it if it was created or adopted after its last deletion. */
async function findOutside(db: Kysely<StoreTables>): Promise<SessionId | null> {
  const isDeletion = sql<boolean>`action = ${sql.lit(sessionDeleted)}`
  const isBeginning = sql<boolean>`(event_seq = 1 or action = ${sql.lit(sessionAdopted)})`
  const inChain = db
    .selectFrom('audit')
    .select('session_id')
    .where(sql<boolean>`${isDeletion} or ${isBeginning}`)
    .where('session_id', 'is not', null)
    .groupBy('session_id')
    .having(
      sql<boolean>`max(case when ${isBeginning} then seq else 0 end) > max(case when ${isDeletion} then seq else 0 end)`,
    )
  const row = await db
    .selectFrom('sessions')
    .select('session_id')
    .where('session_id', 'not in', inChain)
    .limit(1)
    .executeTakeFirst()
  return row?.session_id ?? null
}

async function readProofs(db: Kysely<StoreTables>, afterSeq: number, limit: number) {
  const rows = await db
    .selectFrom('audit')
    .leftJoin('stream_events as events', (join) =>
      join
        .on('events.kind', '=', sessionKind)
        .onRef('events.stream_id', '=', 'audit.session_id')
        .onRef('events.seq', '=', 'audit.event_seq'),
    )
    .selectAll('audit')
    .select(['events.id as e_id', 'events.at as e_at', 'events.type as e_type', 'events.agent as e_agent'])
    .select('events.position as e_position')
    .select(['events.turn_id as e_turn_id', 'events.data as e_data', 'events.v as e_v'])
    .leftJoin('bookings', (join) =>
      join
        .onRef('bookings.session_id', '=', 'audit.session_id')
        .onRef('bookings.api_message_id', '=', 'audit.subject')
        .on('audit.action', '=', 'UsageRecorded'),
    )
    .select(['bookings.cost_usd as b_cost', 'bookings.units as b_units', 'bookings.input_tokens as b_input'])
    .select(['bookings.output_tokens as b_output', 'bookings.cache_read_tokens as b_cache_read'])
    .select('bookings.cache_write_tokens as b_cache_write')
    .leftJoin('sessions', (join) =>
      join
        .onRef('sessions.session_id', '=', 'audit.session_id')
        .on(sql<boolean>`(audit.event_seq = 1 or audit.action = ${sql.lit(sessionAdopted)})`),
    )
    .select(['sessions.owner as s_owner', 'sessions.state as s_state'])
    .where('audit.seq', '>', afterSeq)
    .orderBy('audit.seq')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    record: recordOfRow(row),
    eventHashNow: hashOfJoined(row),
    position: row.e_position === null ? null : Number(row.e_position),
    booked: bookedOfJoined(row),
    session: sessionOfJoined(row),
  }))
}

type JoinedSession = Pick<AuditRow, 'event_seq' | 'action' | 'detail'> & {
  readonly [Column in 's_owner' | 's_state' | 'e_data']: string | null
}

function sessionOfJoined(row: JoinedSession): RecordedOwners | null {
  if (row.event_seq !== 1 && row.action !== sessionAdopted) return null
  const inChain = ownerIn(row.event_seq === 1 ? row.e_data : row.detail)
  if (row.s_owner === null) return { inChain, inDatabase: null }
  const inState = ownerIn(row.s_state)
  return { inChain, inDatabase: inState === null ? [row.s_owner] : [row.s_owner, inState] }
}

/** `null` for a text without an owner. A state that cannot be read is folded again from the log. */
const ownerIn = (text: string | null): string | null => Owned.safeParse(parseJson(text ?? '')).data?.owner ?? null

const Owned = z.object({ owner: z.string() })

type JoinedEvent = Pick<AuditRow, 'session_id' | 'event_seq'> & {
  readonly [Column in 'e_id' | 'e_at' | 'e_type' | 'e_agent' | 'e_turn_id' | 'e_data']: string | null
} & { readonly e_v: number | null }

function hashOfJoined(row: JoinedEvent): string | null {
  const { session_id: stream_id, event_seq, e_id: id, e_at: at, e_type: type, e_data: data, e_v: v } = row
  if (stream_id === null || event_seq === null) return null
  if (id === null || at === null || type === null || data === null || v === null) return null
  return hashEvent({ stream_id, seq: event_seq, id, at, type, agent: row.e_agent, turn_id: row.e_turn_id, data, v })
}

type JoinedBooking = Readonly<
  Record<'b_cost' | 'b_units' | 'b_input' | 'b_output' | 'b_cache_read' | 'b_cache_write', number | null>
>

function bookedOfJoined(row: JoinedBooking): Booked | null {
  const { b_cost: costUsd, b_units: units, b_input: input, b_output: output } = row
  const { b_cache_read: cacheRead, b_cache_write: cacheWrite } = row
  if (units === null || input === null || output === null || cacheRead === null || cacheWrite === null) return null
  return { costUsd, units, tokens: { input, output, cacheRead, cacheWrite } }
}

const recordOfRow = (row: Selectable<AuditRow>): AuditRecord => ({
  seq: row.seq,
  at: row.at,
  principal: row.principal,
  action: row.action,
  sessionId: row.session_id,
  eventSeq: row.event_seq,
  eventHash: row.event_hash,
  subject: row.subject,
  detail: row.detail,
  prevHash: row.prev_hash,
  hash: row.hash,
})
