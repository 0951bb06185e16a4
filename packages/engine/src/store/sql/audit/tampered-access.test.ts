// Keys, owners and whole sessions changed by hand in the database: verification names the key or the session.
import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { verifyAudit } from '../../../audit/verify-audit.ts'
import {
  createCountingIds,
  created,
  createHeldClock,
  newKey,
  sessionId,
  thought,
} from '../../ports/contract/store-harness.contract.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { createStoreOn } from '../create-sql-store.ts'
import type { StoreTables } from '../database/tables.ts'
import { openDatabase } from '../open-database.ts'

const [one, other] = [sessionId(1), sessionId(2)]
const terms = { scope: 'viewer', owner: 'ada', expiresAt: '2027-01-01T00:00:00.000Z', requestsPerMinute: 30 } as const

async function withAccess(test: (db: Kysely<StoreTables>, store: EventStore) => Promise<void>): Promise<void> {
  const db = await openDatabase(':memory:')
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  for (const session of [one, other]) await store.append(session, 0, [created({ owner: 'ada' }), thought('a')])
  await store.createKey(newKey({ name: 'ci', hash: 'h1', ...terms }), 'ada')
  await store.createKey(newKey({ name: 'phone', hash: 'h2' }), 'ada')
  await store.revokeKey('phone', 'ada')
  expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 5 })
  try {
    await test(db, store)
  } finally {
    await store.close()
  }
}

const verdictNow = async (store: EventStore) => {
  const verdict = await verifyAudit(store)
  return verdict.ok ? verdict : { problem: verdict.problem, seq: verdict.seq, detail: verdict.detail }
}

it.each([
  ['scope', 'admin'],
  ['owner', 'eve'],
  ['expires_at', '2099-01-01T00:00:00.000Z'],
  ['expires_at', null],
  ['requests_per_minute', 9000],
  ['hash', 'the hash of another token'],
  ['revoked_at', '2026-05-04T10:00:00.000Z'],
])('names a key whose %s was changed to %s', (column, value) =>
  withAccess(async (db, store) => {
    await sql`update keys set ${sql.ref(column)} = ${value} where name = 'ci'`.execute(db)
    const found = await verdictNow(store)
    expect(found).toMatchObject({ problem: 'key-altered', seq: 3 })
    expect(found).toMatchObject({ detail: expect.stringMatching(/^key ci has /) })
  }),
)

it('names a revoked key whose revocation was removed', () =>
  withAccess(async (db, store) => {
    await db.updateTable('keys').set({ revoked_at: null }).where('name', '=', 'phone').execute()
    const detail = 'key phone has isRevoked false in the database, but the chain says true'
    expect(await verdictNow(store)).toEqual({ problem: 'key-altered', seq: 5, detail })
  }))

it('names a key that was inserted by hand', () =>
  withAccess(async (db, store) => {
    const row = await db.selectFrom('keys').selectAll().where('name', '=', 'ci').executeTakeFirstOrThrow()
    await db
      .insertInto('keys')
      .values({ ...row, id: 'key_9', name: 'backdoor', hash: 'h9', scope: 'admin' })
      .execute()
    const detail = 'key backdoor (scope admin, owner ada) is in the database, but the chain has no entry for it'
    expect(await verdictNow(store)).toEqual({ problem: 'key-added', seq: 5, detail })
  }))

it('names a key whose row was deleted', () =>
  withAccess(async (db, store) => {
    await db.deleteFrom('keys').where('name', '=', 'phone').execute()
    const detail = 'key phone is in entry 5 of the chain, but not in the database'
    expect(await verdictNow(store)).toEqual({ problem: 'key-removed', seq: 5, detail })
  }))

it.each([
  ['column', sql`update sessions set owner = 'eve' where session_id = ${other}`],
  [
    'state',
    sql`update sessions set state = replace(state, '"owner":"ada"', '"owner":"eve"') where session_id = ${other}`,
  ],
])('names a session whose owner was changed in its %s', (_place, change) =>
  withAccess(async (db, store) => {
    const { numAffectedRows } = await change.execute(db)
    expect(numAffectedRows).toBe(1n)
    const detail = `session ${other} belongs to eve in the database, but to ada in the chain`
    expect(await verdictNow(store)).toEqual({ problem: 'session-altered', seq: 2, detail })
  }),
)

it('names a session whose row was deleted by hand, with its events or without', () =>
  withAccess(async (db, store) => {
    await sql`pragma foreign_keys = off`.execute(db)
    await db.deleteFrom('sessions').where('session_id', '=', other).execute()
    const detail = `session ${other} is not in the database, but the chain has no entry for its deletion`
    expect(await verdictNow(store)).toEqual({ problem: 'session-removed', seq: 2, detail })
    await db.deleteFrom('stream_events').where('stream_id', '=', other).execute()
    expect(await verdictNow(store)).toMatchObject({ problem: 'event-removed', detail: expect.stringContaining(other) })
  }))

it('accepts a session that was deleted through the store, and names it when its row comes back', () =>
  withAccess(async (db, store) => {
    const row = await db.selectFrom('sessions').selectAll().where('session_id', '=', other).executeTakeFirstOrThrow()
    await store.remove(other, 'ada')
    expect(await verdictNow(store)).toMatchObject({ ok: true, entries: 6 })
    await db.insertInto('sessions').values(row).execute()
    const detail = `session ${other} is in the database, but the chain has no entry for its creation`
    expect(await verdictNow(store)).toEqual({ problem: 'session-added', seq: 6, detail })
  }))

it('finds no problem while keys are created and revoked', () =>
  withAccess(async (_db, store) => {
    const names = Array.from({ length: 40 }, (_, index) => `k${index}`)
    const making = Promise.all(
      names.map(async (name) => {
        await store.createKey(newKey({ id: `key_${name}`, name, hash: name }), 'ada')
        await store.revokeKey(name, 'ada')
      }),
    )
    const verdicts = await Promise.all(names.map(() => verifyAudit(store)))
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([])
    await making
    expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 5 + 2 * names.length })
  }))
