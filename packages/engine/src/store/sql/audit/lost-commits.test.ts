// Commits that are missing from the database are found at the next start, and the affected sessions are named.
import { appendFile, copyFile, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { hashRecord } from '../../../audit/audit-entry.ts'
import { readHeads } from '../../../audit/heads-file.ts'
import { openKeyRing } from '../../../open-key-ring.ts'
import { openLog } from '../../../open-log.ts'
import { createAuditOperations } from '../../../sessions/api/audit.ts'
import { dataFolders } from '../../../system/data-folders.ts'
import {
  approvalRequested,
  createCountingIds,
  created,
  createHeldClock,
  newKey,
  sessionId,
  thought,
} from '../../ports/contract/store-harness.contract.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { headsBeside } from '../create-sql-store.ts'
import { openDataStore } from '../open-data-store.ts'
import { openDatabase } from '../open-database.ts'

async function newFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quarterdeck-loss-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

const names = Array.from({ length: 20 }, (_, index) => sessionId(`n${index}`))
const parts = () => ({ clock: createHeldClock(), ids: createCountingIds() })
const open = (dataDir: string, acceptLoss = false) => openDataStore({ dataDir, acceptLoss, ...parts() })

const refusal = (dataDir: string): Promise<{ code: string; message: string }> =>
  open(dataDir).then(
    () => {
      throw new Error('it was opened')
    },
    (error) => error,
  )

/** Twenty sessions, one commit and two entries each. */
async function fill(dataDir: string): Promise<EventStore> {
  const store = await open(dataDir)
  for (const name of names) await store.append(name, 0, [created(), approvalRequested(name.slice(4))])
  return store
}

async function verdictOf(dataDir: string) {
  const log = await openLog(dataDir)
  try {
    return await log.verifyAudit()
  } finally {
    await log.close()
  }
}

/** A copy of the folder as a power cut leaves it on a disk that reports unfinished writes as done. */
async function cutOff(dataDir: string, share: number): Promise<string> {
  const [from, to] = [dataFolders(dataDir), dataFolders(await newFolder())]
  await mkdir(to.databaseFolder, { recursive: true })
  for (const end of ['', '-wal', '-heads']) await copyFile(`${from.database}${end}`, `${to.database}${end}`)
  const wal = `${to.database}-wal`
  await truncate(wal, Math.floor((await stat(wal)).size * share))
  return join(to.databaseFolder, '..')
}

it('refuses a database whose write-ahead log was cut to 60 %, and names exactly the sessions that are lost', async () => {
  const dataDir = await newFolder()
  const store = await fill(dataDir)
  const cut = await cutOff(dataDir, 0.6)
  await store.close()
  const refused = await refusal(cut)
  const left = await openDatabase(dataFolders(cut).database)
  const kept = (await left.selectFrom('sessions').select('session_id').execute()).map((row) => row.session_id)
  await left.destroy()
  const lost = names.filter((name) => !kept.includes(name))
  expect(lost.length).toBeGreaterThan(0)
  expect(lost.length).toBeLessThan(names.length)
  expect(refused).toMatchObject({ code: 'store.corrupt' })
  expect(refused.message.match(/ses_\w+/g)).toEqual(lost)
  expect(refused.message).toContain('quarterdeck serve --accept-loss')
  const verdict = await verdictOf(cut)
  expect(verdict).toMatchObject({ ok: false, problem: 'truncated' })
  for (const name of lost) expect(verdict).toMatchObject({ detail: expect.stringContaining(name) })
  await expect(openKeyRing(cut)).rejects.toMatchObject({ code: 'store.corrupt' })
})

it('opens a database whose loss is accepted, records this, and starts without the flag afterwards', async () => {
  const dataDir = await newFolder()
  const store = await fill(dataDir)
  const cut = await cutOff(dataDir, 0.6)
  await store.close()
  const accepted = await open(cut, true)
  const entries = await accepted.readAudit(0, 1000)
  expect(entries.at(-1)).toMatchObject({ principal: 'operator', action: 'loss.accepted' })
  expect(JSON.stringify(entries.at(-1)?.detail)).toContain(names.at(-1))
  await accepted.append(sessionId('new'), 0, [created()])
  await accepted.close()
  await (await open(cut)).close()
  expect(await verdictOf(cut)).toMatchObject({ ok: true, entries: entries.length + 1 })
})

it('opens a complete folder after a crash, with an incomplete last note or without the heads file', async () => {
  const dataDir = await newFolder()
  const store = await fill(dataDir)
  const whole = await cutOff(dataDir, 1)
  await store.close()
  const heads = headsBeside(dataFolders(whole).database)
  await appendFile(heads, '{"entries":99999,"ha')
  await (await open(whole)).close()
  const lines = (await readFile(heads, 'utf8')).split('\n')
  await writeFile(heads, lines.slice(0, 10).join('\n'))
  await (await open(whole)).close()
  expect(await verdictOf(whole)).toMatchObject({ ok: true })
  await rm(heads)
  await (await open(whole)).close()
})

/** A forgery that leaves the heads file alone: it deletes the last rows and corrects the head of the chain. */
async function cutChain(dataDir: string, after: number): Promise<void> {
  const db = await openDatabase(dataFolders(dataDir).database)
  const lost = names.slice(after / 2)
  await db.deleteFrom('audit').where('seq', '>', after).execute()
  await db.deleteFrom('stream_events').where('stream_id', 'in', lost).execute()
  for (const table of ['asks', 'sessions'] as const) {
    await db.deleteFrom(table).where('session_id', 'in', lost).execute()
  }
  const last = await db.selectFrom('audit').select('hash').where('seq', '=', after).executeTakeFirstOrThrow()
  await db.updateTable('audit_head').set({ entries: after, hash: last.hash }).execute()
  await db.destroy()
}

it('names the sessions whose last rows were deleted with a corrected head', async () => {
  const dataDir = await newFolder()
  await (await fill(dataDir)).close()
  await cutChain(dataDir, 30)
  const detail = `the audit chain had 40 entries and ends at 30: 10 committed entries are gone. Affected sessions: ${names.slice(15).join(', ')}`
  expect(await verdictOf(dataDir)).toEqual({ ok: false, seq: 31, problem: 'truncated', detail })
  expect((await refusal(dataDir)).message).toContain(detail)
})

it('finds a truncated chain that has grown past its old end again', async () => {
  const dataDir = await newFolder()
  const store = await fill(dataDir)
  await cutChain(dataDir, 30)
  const before = await readFile(headsBeside(dataFolders(dataDir).database))
  for (let count = 0; count < 12; count += 1) await store.append(sessionId(`later${count}`), 0, [created()])
  await store.close()
  await writeFile(headsBeside(dataFolders(dataDir).database), before)
  const verdict = await verdictOf(dataDir)
  expect(verdict).toMatchObject({ ok: false, seq: 40, problem: 'rewritten' })
  expect(verdict).toMatchObject({ detail: expect.stringContaining(names.at(-1) ?? '') })
})

it('names a session that lost events without an audit entry', async () => {
  const dataDir = await newFolder()
  const store = await fill(dataDir)
  const [name = sessionId(1)] = names
  await store.append(name, 2, [thought('acknowledged')])
  await store.close()
  const db = await openDatabase(dataFolders(dataDir).database)
  await db.deleteFrom('stream_events').where('stream_id', '=', name).where('seq', '=', 3).execute()
  await db.updateTable('sessions').set({ seq: 2 }).where('session_id', '=', name).execute()
  await db.destroy()
  expect(await verdictOf(dataDir)).toMatchObject({ problem: 'event-removed', detail: expect.stringContaining(name) })
  expect((await refusal(dataDir)).message).toContain(name)
})

it('accepts sessions that were deleted, and writes that were refused inside a group', async () => {
  const dataDir = await newFolder()
  const store = await fill(dataDir)
  const [first = sessionId(1), second = sessionId(2)] = names
  await store.remove(first, 'ada')
  const together = await Promise.allSettled([
    store.append(second, 2, [thought('a')]),
    store.append(second, 2, [approvalRequested('refused')]),
    store.createKey(newKey({ name: 'ci', hash: 'h' }), 'ada'),
    store.createKey(newKey({ name: 'ci', hash: 'i' }), 'ada'),
  ])
  expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
  expect(await store.findLoss()).toBeNull()
  const head = await store.auditHead()
  expect((await readHeads(headsBeside(dataFolders(dataDir).database))).at(-1)).toMatchObject({ ...head })
  await store.close()
  await (await open(dataDir)).close()
  expect(await verdictOf(dataDir)).toMatchObject({ ok: true })
})

it('finds a rewritten chain with a copy of the heads, even if the heads file was removed', async () => {
  const dataDir = await newFolder()
  await (await fill(dataDir)).close()
  const { database } = dataFolders(dataDir)
  const copy = join(await newFolder(), 'copy')
  await copyFile(headsBeside(database), copy)
  const db = await openDatabase(database)
  let prevHash = '0'.repeat(64)
  const store = await open(dataDir)
  for (const { record } of await store.readAuditProofs(0, 100)) {
    const forged = { ...record, principal: record.seq === 1 ? 'eve' : record.principal, prevHash }
    const hash = hashRecord(forged)
    await db
      .updateTable('audit')
      .set({ principal: forged.principal, prev_hash: prevHash, hash })
      .where('seq', '=', record.seq)
      .execute()
    prevHash = hash
  }
  await store.close()
  await db.updateTable('audit_head').set({ hash: prevHash }).execute()
  await db.destroy()
  expect(await verdictOf(dataDir)).toMatchObject({ ok: false, problem: 'rewritten' })
  await rm(headsBeside(database))
  expect(await verdictOf(dataDir)).toMatchObject({ ok: true })
  const log = await openLog(dataDir)
  onTestFinished(log.close)
  expect(await log.compareWithCopy(copy)).toMatchObject({ ok: false, seq: 40, problem: 'rewritten' })
  await expect(log.compareWithCopy(`${copy}.none`)).rejects.toMatchObject({ code: 'config.unreadable' })
})

it.each(['missing', 'empty'])(
  'refuses a database that is %s in a used data folder, changes nothing, and starts over with the flag',
  async (state) => {
    const dataDir = await newFolder()
    await (await fill(dataDir)).close()
    const { database, workspaces } = dataFolders(dataDir)
    await mkdir(join(workspaces, 'ses_000042'), { recursive: true })
    if (state === 'missing') await rm(database)
    else await truncate(database, 0)
    for (const opening of [() => open(dataDir), () => openLog(dataDir), () => openKeyRing(dataDir)]) {
      const error = await opening().then(
        () => null,
        (refused) => refused,
      )
      expect(error).toMatchObject({ code: 'store.corrupt' })
      expect(error.message).toContain(`${database} ${state === 'missing' ? 'is missing' : 'is empty'}`)
      expect(error.message).toContain(join(workspaces, 'ses_000042'))
      expect(error.message).toContain('quarterdeck serve --accept-loss')
    }
    expect(
      await stat(database).then(
        ({ size }) => size,
        () => 'none',
      ),
    ).toBe(state === 'missing' ? 'none' : 0)
    const anew = await open(dataDir, true)
    expect(await anew.readAudit(0, 10)).toMatchObject([{ action: 'loss.accepted' }])
    await anew.close()
    await (await open(dataDir)).close()
  },
)

it('opens a new folder that has only a token', async () => {
  const dataDir = await newFolder()
  await writeFile(join(dataDir, 'token'), 'made-up')
  const store = await open(dataDir)
  expect(await createAuditOperations(store).verifyAudit()).toMatchObject({ ok: true, entries: 0 })
  await store.close()
})
