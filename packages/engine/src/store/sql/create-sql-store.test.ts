import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  approvalRequested,
  createCountingIds,
  created,
  createHeldClock,
  sessionId,
  thought,
  usage,
} from '../ports/contract/store-harness.contract.ts'
import { describeEventStore } from '../ports/event-store.contract.ts'
import { createSqlStore, createStoreOn } from './create-sql-store.ts'
import { openDatabase } from './open-database.ts'

let folder: string
let count = 0
const newFile = () => join(folder, `store-${++count}.db`)
const parts = () => ({ clock: createHeldClock(), ids: createCountingIds() })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarterdeck-store-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describeEventStore('SQLite in memory', async (given) => ({
  store: await createSqlStore({ file: ':memory:', ...given }),
}))

describeEventStore('SQLite file', async (given) => {
  const file = newFile()
  const store = await createSqlStore({ file, ...given })
  const reopen = async () => {
    await store.close()
    return createSqlStore({ file, ...given })
  }
  return { store, reopen }
})

describe('the database file', () => {
  it('is self-contained once it is closed, and can be closed twice', async () => {
    const file = newFile()
    const store = await createSqlStore({ file, ...parts() })
    await store.append(sessionId(1), 0, [created()])
    await store.close()
    await store.close()
    const copy = newFile()
    await copyFile(file, copy)
    const copied = await createSqlStore({ file: copy, ...parts() })
    expect(await copied.read(sessionId(1), 0, 10)).toHaveLength(1)
    await copied.close()
  })

  it('can be created by several connections at once', async () => {
    const file = newFile()
    const stores = await Promise.all([1, 2, 3].map(() => createSqlStore({ file, ...parts() })))
    for (const [index, store] of stores.entries()) await store.append(sessionId(index), 0, [created()])
    for (const store of stores) expect((await store.list({}, { limit: 10 })).sessions).toHaveLength(3)
    for (const store of stores) await store.close()
  })

  it('refuses a second connection that has not seen the last event, and accepts it afterwards', async () => {
    const file = newFile()
    const [one, other] = [await createSqlStore({ file, ...parts() }), await createSqlStore({ file, ...parts() })]
    await one.append(sessionId(1), 0, [created()])
    await other.append(sessionId(1), 1, [thought('from the other')])
    await expect(one.append(sessionId(1), 1, [thought('late')])).rejects.toMatchObject({ code: 'store.conflict' })
    await expect(one.append(sessionId(1), 1, [usage('m')])).rejects.toMatchObject({ code: 'store.conflict' })
    await one.append(sessionId(1), 2, [thought('on time')])
    expect(await other.load(sessionId(1))).toEqual(await one.load(sessionId(1)))
    await one.close()
    await other.close()
  })
})

describe('an unusable database file', () => {
  const refusal = async (file: string) =>
    createSqlStore({ file, ...parts() }).then(
      () => null,
      (error) => error,
    )

  it('is refused if it is not a database', async () => {
    const file = newFile()
    await writeFile(file, 'This is a shopping list.\n'.repeat(100))
    expect(await refusal(file)).toMatchObject({ code: 'store.corrupt' })
    expect((await refusal(file)).message).toContain('another kind of file')
  })

  it('is refused if its folder does not exist', async () => {
    const error = await refusal(join(folder, 'nowhere', 'store.db'))
    expect(error).toMatchObject({ code: 'store.unavailable' })
    expect(error.message).toContain(join(folder, 'nowhere'))
    expect(error.message).toContain('Check that it exists')
  })

  it('is refused and left unchanged if it was written by a newer version', async () => {
    const file = newFile()
    const db = await openDatabase(file)
    await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2030-01-01')`.execute(db)
    await db.destroy()
    const error = await refusal(file)
    expect(error).toMatchObject({ code: 'store.corrupt' })
    expect(error.message).toMatch(/newer version.*9999-from-the-future.*Update/)
  })

  it('is refused if it belongs to another program', async () => {
    const file = newFile()
    const db = await openDatabase(file)
    await sql`drop table kysely_migration`.execute(db)
    await db.destroy()
    expect((await refusal(file)).message).toContain('another program')
  })
})

describe('derived rows', () => {
  it.each(['{"an": "older shape"}', 'not JSON'])(
    'are folded again from the log if the state cannot be read: %s',
    async (state) => {
      const db = await openDatabase(':memory:')
      const store = createStoreOn(db, parts())
      const drafts = Array.from({ length: 2100 }, (_, index) => thought(`text ${index}`))
      await store.append(sessionId(1), 0, [created(), approvalRequested(1), ...drafts])
      const before = await store.load(sessionId(1))
      await db.updateTable('sessions').set({ state }).execute()
      const fresh = createStoreOn(db, parts())
      expect(await fresh.load(sessionId(1))).toEqual(before)
      expect((await fresh.append(sessionId(1), 2102, [thought('on')])).map((event) => event.seq)).toEqual([2103])
      expect(await createStoreOn(db, parts()).load(sessionId(1))).toMatchObject({ seq: 2103, activity: 'on' })
      await store.close()
    },
  )

  it('name a damaged event', async () => {
    const db = await openDatabase(':memory:')
    const store = createStoreOn(db, parts())
    await store.append(sessionId(1), 0, [created(), thought('a')])
    await db.updateTable('stream_events').set({ data: '{"cut' }).where('seq', '=', 2).execute()
    await expect(store.read(sessionId(1), 0, 10)).rejects.toMatchObject({ code: 'store.corrupt' })
    await expect(store.read(sessionId(1), 0, 10)).rejects.toThrow('event 2 of session ses_000001')
    await store.close()
  })
})
