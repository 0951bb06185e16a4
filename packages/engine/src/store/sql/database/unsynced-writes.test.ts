import { Kysely, sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createCountingIds,
  created,
  createHeldClock,
  newKey,
  sessionId,
  usage,
} from '../../ports/contract/store-harness.contract.ts'
import { createStoreOn } from '../create-sql-store.ts'
import { migrateStore } from '../migrations/migrate-store.ts'
import { openDatabase } from '../open-database.ts'
import { openLibsql } from './libsql-database.ts'
import { LibsqlDialect } from './libsql-dialect.ts'
import type { StoreTables } from './tables.ts'
import { unsyncedOn } from './unsynced-writes.ts'

const open: Kysely<StoreTables>[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((db) => db.destroy()))
})

async function openMemory(): Promise<Kysely<StoreTables>> {
  const db = await openDatabase(':memory:')
  open.push(db)
  return db
}

/** 1 leaves the sync to the next checkpoint, 2 syncs each commit. */
async function syncLevel(db: Kysely<StoreTables>): Promise<number | undefined> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db)
  return rows[0]?.synchronous
}

describe('unsynced writes', () => {
  it('are not synced, but everything after them is', async () => {
    const db = await openMemory()
    expect(await unsyncedOn(db)(syncLevel)).toBe(1)
    expect(await syncLevel(db)).toBe(2)
  })

  it('restore syncing when they fail', async () => {
    const db = await openMemory()
    const failing = unsyncedOn(db)(async () => {
      throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(await syncLevel(db)).toBe(2)
  })

  it('exclude other writes', async () => {
    const db = await openMemory()
    const levels = await Promise.all([
      unsyncedOn(db)(syncLevel),
      syncLevel(db),
      unsyncedOn(db)(syncLevel),
      syncLevel(db),
    ])
    expect(levels).toEqual([1, 2, 1, 2])
  })

  it('are text, leases and replies, whereas events, bookings, decisions and keys are synced', async () => {
    const { store, levels } = await openWatched()
    const one = sessionId(1)
    await store.append(one, 0, [created(), usage('m1')])
    await store.audit({ principal: 'ada', action: 'server.started', sessionId: null, subject: 'x', detail: {} })
    await store.createKey(newKey({ name: 'ci', hash: 'h' }), 'ada')
    await store.remove(one, 'ada')
    expect(levels.splice(0)).toEqual([2, 2, 2, 2])
    const data = { text: 'so far', messageId: 'm', kind: 'text' } as const
    await store.saveOpenText(one, { type: 'AgentStreamSnapshot', agent: null, data })
    await store.lease(one, { id: 'h', role: 'server', pid: 1, startTime: 'x', address: null }, () => true)
    await store.saveReply('ada', 'k', { bodyHash: 'h', status: 200, body: '' })
    expect(levels.splice(0)).toEqual([1, 1, 1])
    await store.close()
  })
})

/** A store, with a record of how each of its commits was synced. */
async function openWatched() {
  const database = openLibsql(':memory:')
  let level = 2
  const levels: number[] = []
  const watched = {
    ...database,
    prepare(text: string) {
      if (text === 'pragma synchronous = normal') level = 1
      if (text === 'pragma synchronous = full') level = 2
      if (text === 'commit') levels.push(level)
      return database.prepare(text)
    },
  }
  const db = new Kysely<StoreTables>({ dialect: new LibsqlDialect(watched) })
  await migrateStore(db, ':memory:')
  levels.splice(0)
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds(), unsynced: unsyncedOn(db) })
  return { store, levels }
}
