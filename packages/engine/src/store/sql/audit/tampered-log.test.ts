// Manipulation of the log itself: every event keeps its place, none is missing and none is added.
import type { SessionId } from '@quarterdeck/protocol'
import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { sessionAdopted, verifyAudit } from '../../../audit/verify-audit.ts'
import {
  approvalDecided,
  approvalRequested,
  createCountingIds,
  created,
  createHeldClock,
  sessionId,
  statusChanged,
  thought,
} from '../../ports/contract/store-harness.contract.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { createStoreOn } from '../create-sql-store.ts'
import type { StoreTables } from '../database/tables.ts'
import { openDatabase } from '../open-database.ts'

const [one, other] = [sessionId(1), sessionId(2)]

/**
 * Two sessions whose events alternate. Positions 1 to 4 and 9 to 10 belong to the first session, 5 to 8 to the second.
 * Entries 1 to 3 record positions 1, 3 and 4, entries 4 to 6 positions 5, 7 and 8.
 */
async function withLog(test: (db: Kysely<StoreTables>, store: EventStore) => Promise<void>): Promise<void> {
  const db = await openDatabase(':memory:')
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  await store.append(one, 0, [created(), thought('a'), approvalRequested(1), approvalDecided(1)])
  await store.append(other, 0, [created(), thought('b'), approvalRequested(2), approvalDecided(2)])
  await store.append(one, 4, [statusChanged('idle', 'running'), thought('c')])
  expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 6 })
  try {
    await test(db, store)
  } finally {
    await store.close()
  }
}

const move = (db: Kysely<StoreTables>, from: number, to: number) =>
  sql`update stream_events set position = ${to} where position = ${from}`.execute(db)

async function swap(db: Kysely<StoreTables>, from: number, to: number): Promise<void> {
  await move(db, from, -1)
  await move(db, to, from)
  await move(db, -1, to)
}

/** Adds a copy of the event at this position, with another id. */
const copyEvent = (db: Kysely<StoreTables>, position: number, { kind = 'session', seq = 4 }) =>
  sql`insert into stream_events (kind, stream_id, seq, id, at, type, agent, turn_id, data, v)
    select ${kind}, stream_id, ${seq}, 'evt_forged', at, type, agent, turn_id, data, v
    from stream_events where position = ${position}`.execute(db)

describe('a moved event', () => {
  it.each([
    { place: 'behind the last event', to: 15, from: 4, seq: 4 },
    { place: 'at position 0', to: 0, from: 3, seq: 2 },
    { place: 'at a negative position', to: -7, from: 8, seq: 6 },
  ])('is detected $place', ({ from, to, seq }) =>
    withLog(async (db, store) => {
      await move(db, from, to)
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq, problem: 'event-moved' })
    }),
  )

  it.each([
    { events: 'two audited events of one session', from: 3, to: 4, seq: 3 },
    { events: 'audited events of two sessions', from: 4, to: 8, seq: 4 },
  ])('is detected by the order of the entries: $events changed places', ({ from, to, seq }) =>
    withLog(async (db, store) => {
      await swap(db, from, to)
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq, problem: 'event-moved' })
    }),
  )

  it('is detected by the order of its session, though no entry covers it', () =>
    withLog(async (db, store) => {
      await swap(db, 9, 10)
      const detail = `event 6 of session ${one} has position 9, but event 5 before it has 10`
      expect(await verifyAudit(store)).toEqual({ ok: false, seq: 6, problem: 'event-moved', detail })
    }))
})

describe('a missing event', () => {
  it.each([
    ['inside its session', 2, 'event 2 of session ses_000001 is no longer in the log: the next one is event 3'],
    ['inside its session', 9, 'event 5 of session ses_000001 is no longer in the log: the next one is event 6'],
    ['at the end', 10, 'session ses_000001 ends with event 5 in the log, but with event 6 in its row'],
  ])('is detected without an entry: %s (position %i)', (_, position, detail) =>
    withLog(async (db, store) => {
      await db.deleteFrom('stream_events').where('position', '=', position).execute()
      expect(await verifyAudit(store)).toEqual({ ok: false, seq: 6, problem: 'event-removed', detail })
    }),
  )

  it('is detected if its kind was changed', () =>
    withLog(async (db, store) => {
      await db.updateTable('stream_events').set({ kind: 'unknown' }).where('position', '=', 10).execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'event-removed' })
    }))
})

describe('an added event', () => {
  it('is detected by its type: events of this type always have an entry', () =>
    withLog(async (db, store) => {
      await copyEvent(db, 8, { seq: 5 })
      // Even if the row of its session was changed to match.
      await db.updateTable('sessions').set({ seq: 5 }).where('session_id', '=', other).execute()
      const detail = `event 5 of session ${other} (ApprovalDecided) is in the log, but the chain has no entry for it`
      expect(await verifyAudit(store)).toEqual({ ok: false, seq: 6, problem: 'event-added', detail })
      await store.append(one, 6, [approvalRequested(3)])
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'event-added', detail })
    }))

  it('is detected behind the last event of its session, whatever its type', () =>
    withLog(async (db, store) => {
      await copyEvent(db, 10, { seq: 7 })
      const detail = `session ${one} ends with event 7 in the log, but with event 6 in its row`
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'event-added', detail })
    }))

  it('is detected by an unknown kind', () =>
    withLog(async (db, store) => {
      await copyEvent(db, 8, { kind: 'unknown' })
      const detail = `event 4 of unknown ${other} has a kind that this version does not write`
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'event-added', detail })
    }))

  it('is detected in a session that was deleted', () =>
    withLog(async (db, store) => {
      await sql`create table kept as select * from stream_events where position = 6`.execute(db)
      await store.remove(other, 'ada')
      expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 7 })
      await sql`insert into stream_events select * from kept`.execute(db)
      await db.updateTable('stream_events').set({ seq: 1 }).where('position', '=', 6).execute()
      const detail = `session ${other} has events in the log, but is not in the database`
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'event-added', detail })
    }))
})

describe('the end of the log', () => {
  it('is detected to be altered if the database forgot the positions it assigned', () =>
    withLog(async (db, store) => {
      await sql`update sqlite_sequence set seq = 1`.execute(db)
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'log-altered' })
      await sql`delete from sqlite_sequence`.execute(db)
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'log-altered' })
    }))

  it('is detected to be altered if the record of the last deletion is gone', () =>
    withLog(async (db, store) => {
      await db.deleteFrom('log_floor').execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'log-altered' })
    }))
})

const adopt = (store: EventStore) =>
  store.audit({ principal: 'engine', action: sessionAdopted, sessionId: one, subject: one, detail: { owner: 'local' } })

describe('a session from before the audit', () => {
  /** The first session, adopted, with events that have no entries. */
  const withAdopted = (test: (db: Kysely<StoreTables>, store: EventStore) => Promise<void>) =>
    withLog(async (db, store) => {
      await store.remove(other, 'ada')
      await db.deleteFrom('audit').execute()
      await sql`update audit_head set entries = 0, hash = ${'0'.repeat(64)}`.execute(db)
      await adopt(store)
      expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 1 })
      await test(db, store)
    })

  it('needs no entries for its earlier events, but for its later ones', () =>
    withAdopted(async (db, store) => {
      await store.append(one, 6, [approvalRequested(3), approvalDecided(3)])
      expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 3 })
      await copyEvent(db, 4, { seq: 9 })
      const detail = `event 9 of session ${one} (ApprovalDecided) is in the log, but the chain has no entry for it`
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'event-added', detail })
    }))

  it('is detected to begin before position 1', () =>
    withAdopted(async (db, store) => {
      await move(db, 1, 0)
      const detail = `event 1 of session ${one} has position 0, but positions begin at 1`
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'event-moved', detail })
    }))

  it('is detected to lack all its events', () =>
    withAdopted(async (db, store) => {
      await db.deleteFrom('stream_events').execute()
      const detail = `session ${one} has no events in the log`
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'event-removed', detail })
    }))
})

it('raises no alarm while sessions are written, forked and deleted', () =>
  withLog(async (_, store) => {
    const ids = Array.from({ length: 30 }, (_unused, index) => sessionId(100 + index))
    const forkedFrom = { sessionId: one, seq: 4 }
    const thoughts = Array.from({ length: 120 }, (_unused, index) => thought(String(index)))
    await Promise.all(ids.map((id) => store.append(id, 0, [created({ forkedFrom }), ...thoughts])))
    const write = async (id: SessionId, index: number) => {
      await store.append(id, 121, [approvalRequested(id.slice(4)), thought('x'), approvalDecided(id.slice(4))])
      if (index % 2 === 0) await store.remove(id, 'ada')
    }
    for (const [index, id] of ids.entries()) {
      const [verdict] = await Promise.all([verifyAudit(store), write(id, index)])
      expect(verdict).toMatchObject({ ok: true })
    }
    expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 6 + 30 + 60 + 15 })
  }))
