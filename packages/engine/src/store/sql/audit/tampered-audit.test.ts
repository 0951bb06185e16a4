// Manipulation of the database: every change to the chain, or to an event that it covers, is detected.
import { draft } from '@quarterdeck/protocol'
import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { verifyAudit } from '../../../audit/verify-audit.ts'
import { createAuditOperations } from '../../../sessions/api/audit.ts'
import {
  createCountingIds,
  created,
  createHeldClock,
  newKey,
  sessionId,
  thought,
  usage,
} from '../../ports/contract/store-harness.contract.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { createStoreOn } from '../create-sql-store.ts'
import type { StoreTables } from '../database/tables.ts'
import { openDatabase } from '../open-database.ts'

const one = sessionId(1)
const entries = 12

/** A chain of twelve entries: a session with ten tool results, and a key. */
async function withChain(test: (db: Kysely<StoreTables>, store: EventStore) => Promise<void>): Promise<void> {
  const db = await openDatabase(':memory:')
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  const result = (index: number) => draft('ToolExecuted', { toolName: 'Bash', toolUseId: `t${index}`, ...quiet })
  await store.append(one, 0, [created(), thought('a'), ...Array.from({ length: 10 }, (_, index) => result(index))])
  await store.createKey(newKey({ name: 'ci', hash: 'h' }), 'ada')
  expect(await verifyAudit(store)).toMatchObject({ ok: true, entries })
  try {
    await test(db, store)
  } finally {
    await store.close()
  }
}

const quiet = { output: 'fine', isError: false, durationMs: 1, turnId: null }

const columns = [
  ...['at', 'principal', 'action', 'session_id', 'event_seq', 'event_hash', 'subject', 'detail', 'prev_hash', 'hash'],
]

describe('an altered entry', () => {
  it.each(columns)('is detected by one flipped bit in its %s', (column) =>
    withChain(async (db, store) => {
      await flipBit(db, { table: 'audit', column, seq: 5 })
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq: 5, problem: 'altered' })
    }),
  )

  it('is detected as missing if its number was changed', () =>
    withChain(async (db, store) => {
      await sql`update audit set seq = 500 where seq = 5`.execute(db)
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq: 5, problem: 'removed' })
    }))

  it('is detected even if its own hash was recomputed', () =>
    withChain(async (db, store) => {
      const [page] = await store.readAuditProofs(4, 1)
      const { hashRecord } = await import('../../../audit/audit-entry.ts')
      if (page === undefined) throw new Error('there are twelve entries')
      const forged = { ...page.record, principal: 'eve' }
      await db
        .updateTable('audit')
        .set({ principal: 'eve', hash: hashRecord(forged) })
        .where('seq', '=', 5)
        .execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq: 6, problem: 'altered' })
    }))
})

describe('entries out of place', () => {
  it.each([1, 5, 11])('are detected if entry %i was removed', (seq) =>
    withChain(async (db, store) => {
      await db.deleteFrom('audit').where('seq', '=', seq).execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq, problem: 'removed' })
    }),
  )

  it.each([
    [5, 6],
    [2, 12],
  ])('are detected if entries %i and %i were swapped', (first, second) =>
    withChain(async (db, store) => {
      await sql`update audit set seq = -1 where seq = ${first}`.execute(db)
      await sql`update audit set seq = ${first} where seq = ${second}`.execute(db)
      await sql`update audit set seq = ${second} where seq = -1`.execute(db)
      const verdict = await verifyAudit(store)
      expect(verdict).toMatchObject({ ok: false, seq: first, problem: 'reordered' })
      expect(verdict).toMatchObject({ detail: `entry ${first} was written as entry ${second}` })
    }),
  )

  it.each([12, 8, 1])('are detected if the chain was cut off before entry %i', (seq) =>
    withChain(async (db, store) => {
      await db.deleteFrom('audit').where('seq', '>=', seq).execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq, problem: 'truncated' })
    }),
  )

  it('are detected if the stored head is missing, wrong or outdated', () =>
    withChain(async (db, store) => {
      await flipBit(db, { table: 'audit_head', column: 'hash', seq: null })
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq: entries, problem: 'altered' })
      await db.updateTable('audit_head').set({ entries: 3 }).execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq: 3, problem: 'altered' })
      await db.deleteFrom('audit_head').execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'truncated' })
    }))
})

describe('an event that the chain covers', () => {
  const eventColumns = ['id', 'at', 'type', 'agent', 'turn_id', 'data', 'v']
  it.each(eventColumns)('is detected if its %s was altered', (column) =>
    withChain(async (db, store) => {
      await sql`update stream_events set ${sql.ref(column)} = coalesce(${sql.ref(column)}, '') || '1' where seq = 4`.execute(
        db,
      )
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq: 3, problem: 'event-altered' })
    }),
  )

  it('is detected if it was removed, even with its whole session', () =>
    withChain(async (db, store) => {
      await db.deleteFrom('stream_events').where('seq', '=', 4).execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq: 3, problem: 'event-removed' })
      await db.deleteFrom('stream_events').execute()
      await db.deleteFrom('sessions').execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq: 1, problem: 'event-removed' })
    }))

  it('may be missing after its session was deleted, but not before', () =>
    withChain(async (db, store) => {
      await store.remove(one, 'ada')
      expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: entries + 1 })
      await store.append(one, 0, [created()])
      expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: entries + 2 })
      await db.deleteFrom('stream_events').execute()
      expect(await verifyAudit(store)).toMatchObject({ ok: false, seq: entries + 2, problem: 'event-removed' })
    }))
})

describe('the ledger', () => {
  const withBooks = (test: (db: Kysely<StoreTables>, store: EventStore) => Promise<void>) =>
    withChain(async (db, store) => {
      await store.append(one, 12, [usage('m1', 0.25), usage('m2', 0.5)])
      expect(await createAuditOperations(store).verifyAudit()).toMatchObject({ ok: true, entries: entries + 2 })
      await test(db, store)
    })
  const problemNow = async (store: EventStore) => createAuditOperations(store).verifyAudit()

  it('is detected to lack the events of bookings', () =>
    withBooks(async (db, store) => {
      await db.deleteFrom('stream_events').where('type', '=', 'UsageRecorded').execute()
      expect(await problemNow(store)).toMatchObject({ seq: entries + 1, problem: 'event-removed' })
    }))

  it.each(['cost_usd', 'units', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'])(
    'is detected to be altered in the %s of a booking',
    (column) =>
      withBooks(async (db, store) => {
        const other = sql`update bookings set ${sql.ref(column)} = ${sql.ref(column)} + 1 where api_message_id = 'm2'`
        await other.execute(db)
        expect(await problemNow(store)).toMatchObject({ seq: entries + 2, problem: 'books-altered' })
      }),
  )

  it('is detected to lack a booking, even after its session was deleted', () =>
    withBooks(async (db, store) => {
      await store.remove(one, 'ada')
      expect(await problemNow(store)).toMatchObject({ ok: true, entries: entries + 3 })
      await db.deleteFrom('bookings').where('api_message_id', '=', 'm1').execute()
      expect(await problemNow(store)).toMatchObject({ seq: entries + 1, problem: 'books-altered' })
    }))

  it.each(['all', 'agent', 'user', 'key'] as const)('is detected to be altered in the sums of %s', (scope) =>
    withBooks(async (db, store) => {
      await db.updateTable('spending').set({ usd: 0 }).where('scope', '=', scope).execute()
      expect(await problemNow(store)).toMatchObject({ ok: false, problem: 'books-altered' })
      await db.deleteFrom('spending').where('scope', '=', scope).execute()
      expect(await problemNow(store)).toMatchObject({ ok: false, problem: 'books-altered' })
    }),
  )
})

interface Place {
  readonly table: 'audit' | 'audit_head'
  readonly column: string
  readonly seq: number | null
}

/** The lowest bit of the first byte, or of the number. */
async function flipBit(db: Kysely<StoreTables>, { table, column, seq }: Place): Promise<void> {
  const [name, where] = [sql.table(table), seq === null ? sql`1` : sql`seq = ${seq}`]
  const { rows } = await sql<{
    value: unknown
  }>`select ${sql.ref(column)} as value from ${name} where ${where}`.execute(db)
  const value = rows[0]?.value
  const flipped =
    typeof value === 'number'
      ? value ^ 1
      : String.fromCharCode(String(value).charCodeAt(0) ^ 1) + String(value).slice(1)
  await sql`update ${name} set ${sql.ref(column)} = ${flipped} where ${where}`.execute(db)
}
