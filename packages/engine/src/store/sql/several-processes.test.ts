// Cases that need real processes: a writer killed during a commit, and two processes on one file.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { foldSession, type SessionEvent } from '@quarterdeck/protocol'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyAudit } from '../../audit/verify-audit.ts'
import { followAll } from '../follow-all.ts'
import {
  createCountingIds,
  createHeldClock,
  readWholeLog,
  sessionId,
  thought,
} from '../ports/contract/store-harness.contract.ts'
import type { EventStore, Holder } from '../ports/event-store.ts'
import type { LoggedEvent } from '../ports/streams.ts'
import { createSqlStore } from './create-sql-store.ts'
import { openDatabase } from './open-database.ts'

const fixture = fileURLToPath(new URL('./fixtures/store-process.mjs', import.meta.url))
const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const one = sessionId(1)

let folder: string
let count = 0
const newFile = () => join(folder, `shared-${++count}.db`)
const started: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarterdeck-processes-'))
  // Brings the built store up to date; type errors elsewhere are left to the type check.
  spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'packages/engine'], { cwd: root })
})
afterEach(async () => {
  await Promise.all(started.splice(0).map(kill))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a writer that is killed', () => {
  it('loses no acknowledged event and leaves no gap, whenever it is killed', async () => {
    const file = newFile()
    let acknowledged = new Map<number, string>()
    for (const wanted of [3, 40, 150]) {
      const { child, lines } = start('appendForever', file)
      let acknowledgements = 0
      for await (const line of lines) {
        for (const [seq, id] of JSON.parse(line)) acknowledged.set(seq, id)
        if (++acknowledgements === wanted) child.kill('SIGKILL')
      }
      // The next writer has seen the events that survived without an acknowledgement.
      acknowledged = await checkSurvivor(file, acknowledged)
    }
  })
})

describe('a reader of all streams', () => {
  it('sees each event of several writers once and in order, though they are killed, and resumes from its position', async () => {
    const file = newFile()
    const store = await open(file)
    const seen: LoggedEvent[] = []
    let cursor = 0
    const follow = async (signal: AbortSignal) => {
      for await (const { events, next } of followAll(store, { after: cursor, signal })) {
        seen.push(...events)
        cursor = next
      }
    }
    for (const wanted of [20, 60]) {
      const leaving = new AbortController()
      const following = follow(leaving.signal)
      const writers = ['ses_000001', 'ses_000002', 'ses_000003'].map((name) => start('appendForever', file, name))
      await Promise.all(
        writers.map(async ({ child, lines }) => {
          let acknowledgements = 0
          for await (const _ of lines) if (++acknowledgements === wanted) child.kill('SIGKILL')
        }),
      )
      // Also stops in the middle of the log: the next round continues from there.
      if (wanted === 60) await expect.poll(() => cursor, { timeout: 10_000 }).toBe(await store.lastPosition())
      leaving.abort()
      await following
    }
    const { events } = await store.readAll({ after: 0, limit: 100_000 })
    expect(seen).toEqual(events)
    expect(seen.map(({ position }) => position)).toEqual(seen.map((_, index) => index + 1))
    expect(new Set(seen.map(({ stream }) => stream.id)).size).toBe(3)
    expect(await verifyAudit(store)).toMatchObject({ ok: true })
    await store.close()
  })
})

const audited = ['AgentSessionCreated', 'ToolExecuted', 'UsageRecorded']
const auditedIn = (log: readonly SessionEvent[]): number => log.filter(({ type }) => audited.includes(type)).length

/** Returns the events that survived. */
async function checkSurvivor(file: string, acknowledged: ReadonlyMap<number, string>): Promise<Map<number, string>> {
  const store = await open(file)
  const log = await readWholeLog(store, one)
  expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1))
  const kept = new Map(log.map((event) => [event.seq, event.id as string]))
  expect([...acknowledged].filter(([seq, id]) => kept.get(seq) !== id)).toEqual([])
  // Committed but not yet acknowledged: at most one append.
  expect(log.length - acknowledged.size).toBeLessThanOrEqual(4)
  expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: auditedIn(log) })
  expect(await store.load(one)).toEqual(foldSession(null, log))
  expect(await store.ledger(one)).toHaveLength(log.filter((event) => event.type === 'UsageRecorded').length)
  await store.close()
  const db = await openDatabase(file)
  expect((await sql`pragma integrity_check`.execute(db)).rows).toEqual([{ integrity_check: 'ok' }])
  expect((await sql`pragma foreign_key_check`.execute(db)).rows).toEqual([])
  await db.destroy()
  return kept
}

describe('two processes on one file', () => {
  it('refuse a writer that has not seen the events of the other process', async () => {
    const file = newFile()
    const { child, lines } = start('appendForever', file)
    await nextLine(lines)
    const store = await open(file)
    await kill(child)
    const { seq = 0 } = (await store.load(one)) ?? {}
    await store.append(one, seq, [thought('first')])
    const other = start('appendForever', file)
    await nextLine(other.lines)
    const late = store.append(one, seq + 1, [thought('late')])
    await expect(late).rejects.toMatchObject({ code: 'store.conflict' })
    await store.close()
  })

  it('create the file and write one session together, each event exactly once', async () => {
    const file = newFile()
    const writers = ['a', 'b', 'c'].map((name) => start('appendWithOthers', file, name))
    const codes = await Promise.all(writers.map(({ child }) => once(child, 'exit').then(([code]) => code)))
    expect(codes).toEqual([0, 0, 0])
    const store = await open(file)
    const log = await readWholeLog(store, one)
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1))
    const texts = log.flatMap((event) => (event.type === 'AgentThought' ? [event.data.text] : []))
    const expected = ['a', 'b', 'c'].flatMap((name) => Array.from({ length: 60 }, (_, index) => `${name} ${index}`))
    expect(texts.sort()).toEqual(expected.sort())
    expect(await verifyAudit(store)).toMatchObject({ ok: true, entries: auditedIn(log) })
    expect(await store.load(one)).toEqual(foldSession(null, log))
    await store.close()
  })

  it('refuse a second server while the first is alive, and let it take over the sessions after a kill', async () => {
    const file = newFile()
    const { child, lines } = start('holdAsServer', file, 'first')
    await nextLine(lines)
    const store = await open(file)
    const second: Holder = { id: 'second', role: 'server', pid: process.pid, startTime: 'y', address: null }
    const refusal = store.register(second, isAlive)
    await expect(refusal).rejects.toMatchObject({ code: 'store.held', facts: { pid: child.pid } })
    await expect(refusal).rejects.toThrow('http://127.0.0.1:4399')
    await expect(store.lease(one, second, isAlive)).rejects.toMatchObject({ code: 'session.held-elsewhere' })
    await kill(child)
    expect(await store.lease(one, second, isAlive)).toBe(2)
    await store.register(second, isAlive)
    expect(await store.holderOf(one)).toEqual(second)
    await store.close()
  })
})

const open = (file: string): Promise<EventStore> =>
  createSqlStore({ file, clock: createHeldClock(), ids: createCountingIds() })

function start(task: string, file: string, name = 'x') {
  const child = spawn(process.execPath, [fixture, task, file, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  const lines: AsyncIterable<string> = createInterface({ input: child.stdout })
  return { child, lines }
}

async function nextLine(lines: AsyncIterable<string>): Promise<string> {
  const { value, done } = await lines[Symbol.asyncIterator]().next()
  if (done) throw new Error('the process ended without a word')
  return value
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

function isAlive({ pid }: Holder): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // No such process.
    return false
  }
}
