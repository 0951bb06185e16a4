import { Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { verifyAudit } from '../../../audit/verify-audit.ts'
import {
  approvalRequested,
  createCountingIds,
  created,
  createHeldClock,
  sessionId,
  thought,
} from '../../ports/contract/store-harness.contract.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { createStoreOn } from '../create-sql-store.ts'
import { migrateStore } from '../migrations/migrate-store.ts'
import { createGroupCommit } from './group-commit.ts'
import { openLibsql } from './libsql-database.ts'
import { LibsqlDialect } from './libsql-dialect.ts'
import type { StoreTables } from './tables.ts'

interface Counted {
  readonly db: Kysely<StoreTables>
  readonly store: EventStore
  /** How many transactions have begun since the last call. */
  readonly transactions: () => number
}

async function withCounted(test: (counted: Counted) => Promise<void>): Promise<void> {
  let begun = 0
  const database = openLibsql(':memory:')
  const counting = {
    ...database,
    prepare: (text: string) => {
      if (text === 'begin immediate') begun++
      return database.prepare(text)
    },
  }
  const db = new Kysely<StoreTables>({ dialect: new LibsqlDialect(counting) })
  await migrateStore(db, ':memory:')
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  const transactions = () => {
    const count = begun
    begun = 0
    return count
  }
  transactions()
  try {
    await test({ db, store, transactions })
  } finally {
    await store.close()
  }
}

it('commits concurrent appends of different sessions together', () =>
  withCounted(async ({ store, transactions }) => {
    const names = Array.from({ length: 40 }, (_, index) => sessionId(`n${index}`))
    await Promise.all(names.map((name) => store.append(name, 0, [created()])))
    expect(transactions()).toBe(1)
    for (const name of names) await store.append(name, 1, [thought('one by one')])
    expect(transactions()).toBe(40)
    expect((await store.list({}, { limit: 100 })).sessions).toHaveLength(40)
  }))

it('rolls back a failed write and keeps the others of its group, in the log and in the audit chain', () =>
  withCounted(async ({ store, transactions }) => {
    const [first, second, third] = [sessionId(1), sessionId(2), sessionId(3)]
    const results = await Promise.allSettled([
      store.append(first, 0, [created(), approvalRequested(1)]),
      store.append(second, 0, [created(), thought('lost'), approvalRequested(1)]),
      store.append(second, 5, [thought('conflict')]),
      store.append(third, 0, [created()]),
      store.append(third, 1, [thought('behind its own creation')]),
    ])
    expect(transactions()).toBe(1)
    expect(results.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
    ])
    expect(await store.load(second)).toBeNull()
    expect(await store.read(second, 0, 10)).toEqual([])
    expect(await store.read(third, 0, 10)).toHaveLength(2)
    expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 3 })
    await store.append(second, 0, [created(), approvalRequested(2)])
    expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: 5 })
  }))

it('fails every write of a group whose transaction is rolled back as a whole, and works again afterwards', () =>
  withCounted(async ({ db, store }) => {
    const group = createGroupCommit((write) => db.transaction().execute(write))
    const key = (name: string) => ({
      id: name,
      name,
      hash: name,
      scope: 'operator' as const,
      owner: name,
      created_at: '',
    })
    const results = await Promise.allSettled([
      group.commit((trx) => trx.insertInto('keys').values(key('a')).execute()),
      group.commit(async (trx) => {
        // What SQLite does by itself when the disk is full.
        await sql`rollback`.execute(trx)
        throw new Error('the disk is full')
      }),
      group.commit((trx) => trx.insertInto('keys').values(key('b')).execute()),
    ])
    const reasons = results.map((result) => (result.status === 'rejected' ? String(result.reason) : 'kept'))
    expect(reasons).toEqual(Array(3).fill('Error: the disk is full'))
    expect(await store.listKeys()).toEqual([])
    await group.commit((trx) => trx.insertInto('keys').values(key('c')).execute())
    expect((await store.listKeys()).map((one) => one.name)).toEqual(['c'])
  }))

it('closes only after every requested write is committed', () =>
  withCounted(async ({ store }) => {
    const appended = store.append(sessionId(1), 0, [created()])
    await store.close()
    expect(await appended).toHaveLength(1)
  }))

it('reports each write’s own error when the commit of its group fails too', () =>
  withCounted(async ({ db }) => {
    const group = createGroupCommit((write) =>
      db.transaction().execute(async (trx) => {
        await write(trx)
        throw new Error('the disk is full')
      }),
    )
    const results = await Promise.allSettled([
      group.commit(async () => 'written'),
      group.commit(async () => Promise.reject(new Error('its own reason'))),
    ])
    const reasons = results.map((result) => (result.status === 'rejected' ? result.reason.message : 'kept'))
    expect(reasons).toEqual(['the disk is full', 'its own reason'])
  }))
