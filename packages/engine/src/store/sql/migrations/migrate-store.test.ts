// A data folder of an earlier version: its content is preserved and present in the new tables.
import type { SessionId } from '@quarterdeck/protocol'
import { CompiledQuery, Kysely, Migrator } from 'kysely'
import { expect, it } from 'vitest'
import { verifyAudit } from '../../../audit/verify-audit.ts'
import { ownIdentity } from '../../../system/holder-identity.ts'
import {
  approvalId,
  approvalRequested,
  createCountingIds,
  created,
  createHeldClock,
  sessionId,
  usage,
} from '../../ports/contract/store-harness.contract.ts'
import { createAddToChain } from '../audit/add-to-chain.ts'
import { auditLinesOf } from '../audit/audit-lines.ts'
import { createStoreOn } from '../create-sql-store.ts'
import { compileHotQueries } from '../database/compile-hot-queries.ts'
import { rowOfEvent } from '../database/event-row.ts'
import { openLibsql } from '../database/libsql-database.ts'
import { LibsqlDialect } from '../database/libsql-dialect.ts'
import type { StoreTables } from '../database/tables.ts'
import { planAppend } from '../log/plan-append.ts'
import { migrateStore, migrations } from './migrate-store.ts'

it('migrates asks, bookings, sums and lists from the first tables', async () => {
  const db = new Kysely<StoreTables>({ dialect: new LibsqlDialect(openLibsql(':memory:')) })
  const provider = { getMigrations: async () => ({ ...migrations }) }
  const { error } = await new Migrator({ db, provider }).migrateTo('0002-store-checks')
  expect(error).toBeUndefined()
  const at = '2026-05-03T09:00:00.000Z'
  await run(db, 'insert into sessions values (?, 3, ?, ?, ?, ?, ?, ?)', [
    ...[sessionId(1), 'waiting_approval', 'triage', 'ada', at, at, '{"of": "another shape"}'],
  ])
  await run(db, 'insert into sessions values (?, 1, ?, ?, ?, ?, ?, ?)', [
    ...[sessionId(2), 'idle', 'other', 'eve', at, at, '{"title": "Words of the FIRST message"}'],
  ])
  await run(db, 'insert into events values (?, 1, ?, ?, ?, null, null, ?, 1)', [
    ...[sessionId(2), 'evt_9', at, 'AgentSessionCreated', JSON.stringify(created({ owner: 'eve' }).data)],
  ])
  await run(db, 'insert into session_tags values (?, ?, ?)', [sessionId(1), 'red', at])
  const drafts = [created({ owner: 'ada', tags: ['red'], title: 'Été in Lyon' }), usage('m1'), approvalRequested(7)]
  for (const [index, { type, data }] of drafts.entries()) {
    const row = [sessionId(1), index + 1, `evt_${index}`, at, type, null, null, JSON.stringify(data), 1]
    await run(db, 'insert into events values (?, ?, ?, ?, ?, ?, ?, ?, ?)', row)
  }
  await run(db, 'insert into approvals values (?, ?, 1, ?)', [approvalId(7), sessionId(1), at])
  const booking = [sessionId(1), 'm1', 2, 'req_m1', 'm', 'simulator', 100, 20, 3, 4, 0.25, 'gateway', at]
  await run(db, `insert into ledger values (${booking.map(() => '?').join(', ')})`, booking)

  await migrateStore(db, ':memory:')
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  expect(await store.findAsk(approvalId(7))).toBe(sessionId(1))
  expect(await store.listWaiting()).toMatchObject([
    { sessionId: sessionId(1), approvals: [{ approvalId: approvalId(7) }] },
  ])
  expect(await store.ledger(sessionId(1))).toMatchObject([
    { owner: 'ada', startedBy: 'ada', agentName: 'triage', costUsd: 0.25, units: 0, isSimulated: true },
  ])
  for (const [scope, subject] of [
    ['all', ''] as const,
    ['user', 'ada'] as const,
    ['agent', 'triage'] as const,
    ['key', 'ada'] as const,
  ]) {
    expect(await store.spent({ scope, subject, from: at })).toEqual({ usd: 0.25, units: 0 })
  }
  for (const filter of [{ tag: 'red' }, { owner: 'ada' }, { text: 'ÉTÉ' }]) {
    expect((await store.list(filter, { limit: 5 })).sessions).toMatchObject([{ sessionId: sessionId(1) }])
  }
  expect((await store.list({ text: 'the first' }, { limit: 5 })).sessions).toMatchObject([{ sessionId: sessionId(2) }])
  expect((await store.list({}, { limit: 5 })).sessions).toHaveLength(2)
  expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 3 })
  expect((await store.readAudit(0, 10)).map(({ action, subject, detail }) => [action, subject, detail])).toEqual([
    ['audit.adopted', 'database', { keys: 0, sessions: 2 }],
    ['session.adopted', sessionId(1), { owner: 'ada' }],
    ['session.adopted', sessionId(2), { owner: 'eve' }],
  ])
  await store.append(sessionId(1), 3, [usage('m1'), usage('m2')])
  expect(await store.spent({ scope: 'all', subject: '', from: null })).toEqual({ usd: 0.5, units: 0 })
  expect(await store.remove(sessionId(1), 'ada')).toBe(true)
  await store.close()
})

it('turns an existing key into an operator key owned by its own name', async () => {
  const db = new Kysely<StoreTables>({ dialect: new LibsqlDialect(openLibsql(':memory:')) })
  const provider = { getMigrations: async () => ({ ...migrations }) }
  expect((await new Migrator({ db, provider }).migrateTo('0005-simulated-bookings')).error).toBeUndefined()
  const at = '2026-05-03T09:00:00.000Z'
  await run(db, 'insert into keys values (?, ?, ?, ?, null)', ['key_1', 'ci', 'h', at])
  await migrateStore(db, ':memory:')
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  const terms = { scope: 'operator', owner: 'ci', expiresAt: null, requestsPerMinute: null }
  expect(await store.findKey('h')).toEqual({ id: 'key_1', name: 'ci', ...terms, createdAt: at, revokedAt: null })
  await store.close()
})

const run = (db: Kysely<StoreTables>, text: string, values: readonly unknown[]) =>
  db.executeQuery(CompiledQuery.raw(text, [...values]))

/** Creates a session as versions before 0009 did, whose events were in a table of sessions. */
async function createBeforeStreams(db: Kysely<StoreTables>, id: SessionId): Promise<void> {
  const parts = { clock: createHeldClock(), ids: createCountingIds() }
  const { events, state } = planAppend({ sessionId: id, previous: null, drafts: [created({ owner: 'ada' })] }, parts)
  const at = state.createdAt
  await run(
    db,
    "insert into sessions (session_id, seq, status, agent_name, owner, created_at, updated_at, state) values (?, 1, 'idle', 'triage', 'ada', ?, ?, ?)",
    [id, at, at, JSON.stringify(state)],
  )
  const rows = events.map(rowOfEvent)
  for (const { stream_id, seq, id: eventId, type, data } of rows) {
    await run(db, 'insert into events values (?, ?, ?, ?, ?, null, null, ?, 1)', [
      ...[stream_id, seq, eventId, at, type, data],
    ])
  }
  await createAddToChain(compileHotQueries(db)).addToChain(db, auditLinesOf(events, rows))
}

/** A database of the previous version: a session and a key in the chain, the key without its fingerprint. */
async function openPrevious() {
  const db = new Kysely<StoreTables>({ dialect: new LibsqlDialect(openLibsql(':memory:')) })
  const provider = { getMigrations: async () => ({ ...migrations }) }
  expect((await new Migrator({ db, provider }).migrateTo('0006-keys-with-terms')).error).toBeUndefined()
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  await createBeforeStreams(db, sessionId(1))
  await store.audit({
    principal: 'ada',
    action: 'key.created',
    sessionId: null,
    subject: 'ci',
    detail: { scope: 'viewer', owner: 'ada' },
  })
  const at = '2026-05-03T09:00:00.000Z'
  const terms = { scope: 'viewer', owner: 'ada', expires_at: null, requests_per_minute: null } as const
  await db
    .insertInto('keys')
    .values({ id: 'key_1', name: 'ci', hash: 'h', created_at: at, revoked_at: null, ...terms })
    .execute()
  return { db, store }
}

it('adds the keys of the previous version to the chain once, with an entry about it', async () => {
  const { db, store } = await openPrevious()
  await migrateStore(db, ':memory:')
  await migrateStore(db, ':memory:')
  const entries = await createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() }).readAudit(2, 10)
  expect(entries).toMatchObject([
    { principal: 'engine', action: 'audit.adopted', detail: { keys: 1, sessions: 0 } },
    { principal: 'engine', action: 'key.adopted', subject: 'ci', detail: { scope: 'viewer', owner: 'ada' } },
  ])
  expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 4 })
  await db.updateTable('keys').set({ hash: 'a token of somebody else' }).execute()
  expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'key-altered', seq: 4 })
  await store.close()
})

it('does not adopt a scope that contradicts the chain of the previous version', async () => {
  const { db, store } = await openPrevious()
  await db.updateTable('keys').set({ scope: 'admin' }).execute()
  await migrateStore(db, ':memory:')
  const verdict = await verifyAudit(store)
  expect(verdict).toMatchObject({ ok: false, problem: 'key-altered' })
  expect(verdict).toMatchObject({ detail: expect.stringMatching(/key ci .*scope "admin".*"viewer"/) })
  await store.close()
})

it('refuses to migrate while a process of the previous version is running, and changes nothing', async () => {
  const { db, store } = await openPrevious()
  const { id, pid, startTime } = ownIdentity()
  const address = 'http://127.0.0.1:4300'
  await db.insertInto('holders').values({ id, role: 'server', pid, start_time: startTime, address }).execute()
  const refusal = migrateStore(db, 'quarterdeck.db')
  await expect(refusal).rejects.toMatchObject({ code: 'store.held', facts: { pid, address } })
  await expect(refusal).rejects.toThrow(/earlier version.*Stop it, then try again/)
  expect(await run(db, 'select count(*) as events from events', [])).toMatchObject({ rows: [{ events: 1 }] })
  await db.updateTable('holders').set({ start_time: 'of a process that has ended' }).execute()
  await migrateStore(db, 'quarterdeck.db')
  await store.close()
})
