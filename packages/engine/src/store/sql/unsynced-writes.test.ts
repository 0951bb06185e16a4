import { type Kysely, sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { openDatabase } from './open-database.ts'
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
  it('are not synced, and everything after them is', async () => {
    const db = await openMemory()
    expect(await unsyncedOn(db)(syncLevel)).toBe(1)
    expect(await syncLevel(db)).toBe(2)
  })

  it('give the sync back when they fail', async () => {
    const db = await openMemory()
    const failing = unsyncedOn(db)(async () => {
      throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(await syncLevel(db)).toBe(2)
  })

  it('let nobody else write in between', async () => {
    const db = await openMemory()
    const levels = await Promise.all([
      unsyncedOn(db)(syncLevel),
      syncLevel(db),
      unsyncedOn(db)(syncLevel),
      syncLevel(db),
    ])
    expect(levels).toEqual([1, 2, 1, 2])
  })
})
