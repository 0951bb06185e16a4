// Real disk failures: a full disk, a read-only one, one that lost its content.
import { copyFile, mkdir, mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isQuarterdeckError } from '@quarterdeck/protocol'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLog } from '../../../open-log.ts'
import { dataFolders } from '../../../system/data-folders.ts'
import {
  createCountingIds,
  created,
  createHeldClock,
  sessionId,
  thought,
} from '../../ports/contract/store-harness.contract.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { folderFailure } from '../../ports/store-errors.ts'
import { createSqlStore, createStoreOn } from '../create-sql-store.ts'
import { openDatabase } from '../open-database.ts'
import { fillDisk, mountSmallDisk, readOnlyView } from './mounts.fixture.ts'
import { sqliteFailure } from './sqlite-failure.ts'

let folder: string
const parts = () => ({ clock: createHeldClock(), ids: createCountingIds() })
const text = { text: 'half a sen', messageId: 'msg_1', kind: 'text' } as const
const openText = { type: 'AgentStreamSnapshot', agent: null, data: text } as const

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarterdeck-disk-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it worked',
    (error: unknown) => error,
  )

describe('a full disk', () => {
  it('refuses writes with a message, still reads, and accepts writes again once there is space', async (context) => {
    await using disk = await mountSmallDisk('1m')
    if (disk === null) return context.skip('this user may not mount a small disk')
    const store = await createSqlStore({ file: join(disk.folder, 'store.db'), ...parts() })
    await store.append(sessionId(1), 0, [created(), thought('before')])
    const filler = join(disk.folder, 'filler')
    await fillDisk(filler)

    const seq = await appendUntilRefused(store)
    const refused = await failureOf(store.append(sessionId(1), seq, [thought('x'.repeat(100_000))]))
    expect(refused).toMatchObject({ code: 'store.unavailable' })
    expect(String(refused)).toContain(`${disk.folder} cannot be written: its disk is full`)
    for (const write of [
      () => store.check(),
      () => store.append(sessionId(2), 0, [created({ title: 'x'.repeat(100_000) })]),
      () => store.saveOpenText(sessionId(1), { ...openText, data: { ...text, text: 'x'.repeat(100_000) } }),
      () => store.saveReply('p', 'k', { bodyHash: 'h', status: 200, body: 'x'.repeat(100_000) }),
    ])
      expect(await failureOf(write())).toMatchObject({ code: 'store.unavailable' })
    expect((await store.read(sessionId(1), 0, 1000)).map((event) => event.seq)).toHaveLength(seq)
    expect(await store.load(sessionId(1))).toMatchObject({ seq })
    expect(await store.load(sessionId(2))).toBeNull()

    await rm(filler)
    await store.check()
    await store.append(sessionId(1), seq, [thought('after')])
    await store.append(sessionId(2), 0, [created()])
    await store.saveOpenText(sessionId(1), openText)
    await store.close()
    const again = await createSqlStore({ file: join(disk.folder, 'store.db'), ...parts() })
    expect(await again.load(sessionId(1))).toMatchObject({ seq: seq + 1, activity: 'after' })
    expect(await again.openTexts(sessionId(1))).toEqual([openText])
    await again.close()
  })

  it('refuses a new database until there is space', async (context) => {
    await using disk = await mountSmallDisk('1m')
    if (disk === null) return context.skip('this user may not mount a small disk')
    const file = join(disk.folder, 'store.db')
    const filler = join(disk.folder, 'filler')
    await fillDisk(filler)
    expect(await failureOf(createSqlStore({ file, ...parts() }))).toMatchObject({ code: 'store.unavailable' })
    await rm(filler)
    const store = await createSqlStore({ file, ...parts() })
    await store.check()
    await store.close()
  })
})

/** The free space in the write-ahead log is used first. Returns the last event that was accepted. */
async function appendUntilRefused(store: EventStore): Promise<number> {
  for (let seq = 2; ; seq += 1) {
    const refused = await store.append(sessionId(1), seq, [thought('x'.repeat(10_000))]).then(
      () => null,
      (error: unknown) => error,
    )
    if (refused === null) continue
    expect(refused).toMatchObject({ code: 'store.unavailable' })
    return seq
  }
}

describe('a read-only folder', () => {
  it('allows reading an open database, refuses every write by name, and creates no new database', async (context) => {
    const writable = await mkdtemp(join(folder, 'read-only-'))
    // Stays open: SQLite removes the write-ahead log with the last handle, and cannot create it in a read-only folder.
    const store = await createSqlStore({ file: join(writable, 'store.db'), ...parts() })
    await store.append(sessionId(1), 0, [created()])
    await using view = await readOnlyView(writable)
    if (view === null) return context.skip('this user is root and may not mount a read-only folder')
    const readable = await createSqlStore({ file: join(view.folder, 'store.db'), ...parts() })
    expect(await readable.read(sessionId(1), 0, 10)).toHaveLength(1)
    for (const write of [
      () => readable.check(),
      () => readable.register({ id: 'h', role: 'server', pid: 1, startTime: 'x', address: null }, () => true),
      () => readable.append(sessionId(1), 1, [thought('x')]),
      () => createSqlStore({ file: join(view.folder, 'new.db'), ...parts() }),
    ]) {
      const refused = await failureOf(write())
      expect(refused).toMatchObject({ code: 'store.unavailable' })
      expect(String(refused)).toContain(`${view.folder} cannot be written`)
    }
    await readable.close()
    await store.close()
  })

  it('refuses to read a stopped database, because opening it needs a writable folder', async (context) => {
    const file = join(folder, 'stopped.db')
    const store = await createSqlStore({ file, ...parts() })
    await store.append(sessionId(1), 0, [created()])
    await store.close()
    const copy = await mkdtemp(join(folder, 'stopped-'))
    await mkdir(dataFolders(copy).databaseFolder)
    // A process that ends removes the write-ahead log: only the database is left.
    await copyFile(file, dataFolders(copy).database)
    await using view = await readOnlyView(copy)
    if (view === null) return context.skip('this user is root and may not mount a read-only folder')
    const refused = await failureOf(openLog(view.folder))
    expect(refused).toMatchObject({ code: 'store.unavailable' })
    expect(String(refused)).toContain(dataFolders(view.folder).databaseFolder)
    expect(String(refused)).toContain('writable for this user')
  })

  it.each([
    ['EACCES', 'may write there'],
    ['ENOENT', 'Check that it exists'],
    ['EROFS', 'read-only'],
    ['ENOSPC', 'disk is full'],
  ])('is recognized from the system error: %s', (code, words) => {
    const failure = folderFailure('/data', Object.assign(new Error('no'), { code }))
    expect(failure).toMatchObject({ code: 'store.unavailable' })
    expect(String(failure)).toContain(words)
  })
})

describe('a database with overwritten pages', () => {
  it('reports the damage when such a page is read, and still reads the others', async () => {
    const file = join(folder, 'damaged.db')
    const store = await createSqlStore({ file, ...parts() })
    await store.append(sessionId(1), 0, [created()])
    const drafts = Array.from({ length: 100 }, () => thought('x'.repeat(6000)))
    await store.append(sessionId(2), 0, [created(), ...drafts])
    await store.close()
    const damaged = await createSqlStore({ file, ...parts() })
    await overwriteSecondHalf(file)
    const refused = await failureOf(damaged.read(sessionId(2), 0, 1000))
    expect(refused).toMatchObject({ code: 'store.corrupt' })
    expect(String(refused)).toContain(`${file} is damaged`)
    expect(await damaged.read(sessionId(1), 0, 10)).toHaveLength(1)
    await damaged.close()
  })
})

async function overwriteSecondHalf(file: string): Promise<void> {
  const { size } = await stat(file)
  const handle = await open(file, 'r+')
  const start = Math.ceil(size / 2 / 4096) * 4096
  await handle.write(Buffer.alloc(size - start, 0xab), 0, size - start, start)
  await handle.close()
}

describe('an SQLite error', () => {
  const sqliteError = (rawCode: number) => Object.assign(new Error('sqlite'), { rawCode })

  it.each([
    [8, 'store.unavailable'],
    [13, 'store.unavailable'],
    [10, 'store.unavailable'],
    [778, 'store.unavailable'], // SQLITE_IOERR_WRITE
    [1032, 'store.unavailable'], // SQLITE_READONLY_DBMOVED
    [11, 'store.corrupt'],
    [267, 'store.corrupt'], // SQLITE_CORRUPT_VTAB
    [26, 'store.corrupt'],
  ])('becomes an engine error: %i is %s', (rawCode, code) => {
    expect(sqliteFailure('/data/store.db', sqliteError(rawCode))).toMatchObject({ code })
  })

  it('says for an existing file that opening it creates files', () => {
    expect(String(sqliteFailure(folder, sqliteError(14)))).toContain('copy it to a writable one')
    expect(String(sqliteFailure(join(folder, 'missing.db'), sqliteError(14)))).toContain('Check that it exists')
  })

  it.each([1, 5, 19])('stays unchanged if it is not about the disk: %i', (rawCode) => {
    const failure = sqliteFailure('/data/store.db', sqliteError(rawCode))
    expect(isQuarterdeckError(failure)).toBe(false)
    expect(failure).toMatchObject({ rawCode })
  })
})

describe('a transaction that could not be rolled back', () => {
  it('does not block the next one', async () => {
    const db = await openDatabase(':memory:')
    const store = createStoreOn(db, parts())
    await sql`begin immediate`.execute(db)
    await store.append(sessionId(1), 0, [created()])
    expect(await store.load(sessionId(1))).toMatchObject({ seq: 1 })
    await store.close()
  })
})
