// A database that the last version before 0009 has written with a real engine: see fixtures/before-streams/make.mjs.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { SessionEvent, SessionState } from '@quarterdeck/protocol'
import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { verifyAudit } from '../../../audit/verify-audit.ts'
import { createCountingIds, createHeldClock, thought } from '../../ports/contract/store-harness.contract.ts'
import type { Booking } from '../../ports/money-store.ts'
import { createSqlStore } from '../create-sql-store.ts'

const fixture = async (name: string) =>
  gunzipSync(await readFile(new URL(`../fixtures/before-streams/${name}.gz`, import.meta.url)))

interface Recorded {
  readonly verdict: { readonly ok: boolean; readonly entries: number; readonly hash: string }
  readonly loss: null
  readonly deleted: { readonly sessionId: SessionState['sessionId']; readonly ledger: readonly Booking[] }
  readonly sessions: readonly {
    readonly state: SessionState
    readonly events: readonly SessionEvent[]
    readonly ledger: readonly Booking[]
  }[]
  readonly audit: readonly unknown[]
  readonly usage: readonly unknown[]
  readonly budgets: readonly unknown[]
  readonly keys: readonly unknown[]
  readonly waiting: readonly unknown[]
  readonly deliveries: readonly unknown[]
}

async function copyFixture(): Promise<{ file: string; recorded: Recorded }> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-before-streams-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'quarterdeck.db')
  await writeFile(file, await fixture('quarterdeck.db'))
  await writeFile(`${file}-heads`, await fixture('quarterdeck.db-heads'))
  return { file, recorded: JSON.parse((await fixture('recorded.json')).toString()) }
}

const open = (file: string) => createSqlStore({ file, clock: createHeldClock(), ids: createCountingIds() })

/** The ids in the order in which the earlier version wrote them. */
function idsInOrder(file: string): readonly unknown[] {
  const database = new Libsql(file)
  const rows = database.prepare('select id from events order by rowid').all([]) as readonly { id: unknown }[]
  database.close()
  return rows.map(({ id }) => id)
}

/** States of that version lack these fields: they are folded again from the log. */
const foldedAgain = { answersInUse: [], unsaved: [] }

it('keeps every event, state, booking and audit entry, and the chain still verifies', async () => {
  const { file, recorded } = await copyFixture()
  expect(recorded.verdict).toMatchObject({ ok: true, entries: 56 })
  expect(recorded.loss).toBeNull()
  const store = await open(file)
  expect(await verifyAudit(store)).toEqual(recorded.verdict)
  expect(await store.findLoss()).toBeNull()
  expect(recorded.sessions).toHaveLength(5)
  for (const { state, events, ledger } of recorded.sessions) {
    expect(await store.read(state.sessionId, 0, 1000)).toEqual(events)
    expect(await store.load(state.sessionId)).toEqual({ ...state, ...foldedAgain })
    expect(await store.ledger(state.sessionId)).toEqual(ledger)
  }
  const { sessionId, ledger } = recorded.deleted
  expect([await store.load(sessionId), await store.read(sessionId, 0, 10)]).toEqual([null, []])
  expect(await store.ledger(sessionId)).toEqual(ledger)
  const { sessions } = await store.list({ archived: 'all' }, { limit: 100 })
  expect(sessions).toEqual(recorded.sessions.map(({ state }) => ({ ...state, ...foldedAgain })))
  expect(await store.readAudit(0, 10_000)).toEqual(recorded.audit)
  expect(await store.usage({ groupBy: ['agent', 'user', 'session'] })).toEqual(recorded.usage)
  expect(await store.listBudgets()).toEqual(recorded.budgets)
  expect(await store.listKeys()).toEqual(recorded.keys)
  expect((await store.listWaiting()).map((waiting) => waiting.sessionId)).toEqual(recorded.waiting)
  expect(await store.dueDeliveries('pager', '2100-01-01T00:00:00.000Z', 1000)).toEqual(recorded.deliveries)
  await store.close()
})

it('gives existing events positions in the order in which they were written, and new ones greater positions', async () => {
  const { file, recorded } = await copyFixture()
  const before = idsInOrder(file)
  const store = await open(file)
  const { events, next } = await store.readAll({ after: 0, limit: 1000 })
  expect(events.map(({ event }) => event.id)).toEqual(before)
  expect(before).toHaveLength(recorded.sessions.flatMap((session) => session.events).length)
  const streams = events.map(({ stream }) => stream.id)
  // The sessions ran at the same time, so this order is not the order of any one of them.
  expect(streams.filter((id, index) => id !== streams[index + 1]).length).toBeGreaterThan(20)
  const [session] = recorded.sessions
  if (session === undefined) throw new Error('the fixture has no sessions')
  const added = await store.append(session.state.sessionId, session.state.seq, [thought('new')])
  const { events: later } = await store.readAll({ after: next, limit: 10 })
  expect(later.map(({ event }) => event)).toEqual(added)
  expect(await verifyAudit(store)).toEqual(recorded.verdict)
  await store.close()
})

it('still detects an event that was altered before the migration', async () => {
  const { file } = await copyFixture()
  const database = new Libsql(file)
  database.prepare("update events set data = replace(data, 'ada', 'eve') where type = 'AgentSessionCreated'").run([])
  database.close()
  const store = await open(file)
  expect(await verifyAudit(store)).toMatchObject({ ok: false, problem: 'event-altered' })
  await store.close()
})

it('leaves the file unchanged if the migration fails, and migrates it later', async () => {
  const { file, recorded } = await copyFixture()
  const database = new Libsql(file)
  database.prepare('create table log_floor (x)').run([])
  database.close()
  await expect(open(file)).rejects.toMatchObject({ code: 'store.corrupt' })
  expect(idsInOrder(file)).toHaveLength(recorded.sessions.flatMap(({ events }) => events).length)
  const again = new Libsql(file)
  again.prepare('drop table log_floor').run([])
  again.close()
  const store = await open(file)
  expect(await verifyAudit(store)).toEqual(recorded.verdict)
  await store.close()
})
