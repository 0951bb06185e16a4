import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openTestStore } from '../testing/test-store.fixture.ts'
import { followAll } from './follow-all.ts'
import {
  createCountingIds,
  created,
  createHeldClock,
  sessionId,
  thought,
} from './ports/contract/store-harness.contract.ts'
import type { LogStore } from './ports/streams.ts'
import { createSqlStore } from './sql/create-sql-store.ts'
import { openDatabase } from './sql/open-database.ts'

const [one, other] = [sessionId(1), sessionId(2)]

/** Follows until it is stopped and collects the positions and texts. */
function collect(store: LogStore, after: number, kinds?: readonly string[]) {
  const leaving = new AbortController()
  const seen: string[] = []
  let cursor = after
  const done = (async () => {
    const from = { after, signal: leaving.signal, ...(kinds === undefined ? {} : { kinds }) }
    for await (const page of followAll(store, from)) {
      for (const { position, stream, event } of page.events) seen.push(`${position} ${stream.id} ${event.seq}`)
      cursor = page.next
    }
  })()
  const stop = async () => {
    leaving.abort()
    await done
    return cursor
  }
  onTestFinished(async () => void (await stop()))
  return { seen, stop }
}

it('replays the log and then follows it, over all streams', async () => {
  const store = await openTestStore()
  await store.append(one, 0, [created(), thought('a')])
  const { seen, stop } = collect(store, 0)
  await expect.poll(() => seen).toEqual([`1 ${one} 1`, `2 ${one} 2`])
  await store.append(other, 0, [created()])
  await store.append(one, 2, [thought('b')])
  const whole = [`1 ${one} 1`, `2 ${one} 2`, `3 ${other} 1`, `4 ${one} 3`]
  // Far less than the time between two polls: the append wakes the reader.
  await expect.poll(() => seen, { timeout: 500, interval: 10 }).toEqual(whole)
  expect(await stop()).toBe(4)
  await store.append(one, 3, [thought('c')])
  expect(seen).toEqual(whole)
})

it('replays more events than a page has, while others are written', async () => {
  const store = await openTestStore()
  await store.append(one, 0, [created(), ...Array.from({ length: 250 }, () => thought('x'))])
  const { seen } = collect(store, 0)
  await Promise.all(
    [3, 4, 5].map(async (name) => {
      await store.append(sessionId(name), 0, [created()])
      for (let seq = 1; seq < 40; seq++) await store.append(sessionId(name), seq, [thought('y')])
    }),
  )
  await expect.poll(() => seen.length).toBe(251 + 3 * 40)
  expect(seen.map((line) => Number(line.split(' ')[0]))).toEqual(seen.map((_, index) => index + 1))
})

it('continues from its position after a restart, without a gap or a repetition', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-follow-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const open = () =>
    createSqlStore({ file: join(folder, 'log.db'), clock: createHeldClock(), ids: createCountingIds() })
  let store = await open()
  await store.append(one, 0, [created(), thought('a')])
  const first = collect(store, 0)
  await expect.poll(() => first.seen.length).toBe(2)
  const cursor = await first.stop()
  await store.append(one, 2, [thought('while nobody follows')])
  await store.append(other, 0, [created()])
  // The deleted session had the last event of the log.
  await store.remove(other, 'ada')
  await store.close()
  store = await open()
  const second = collect(store, cursor)
  await store.append(one, 3, [thought('b')])
  await expect.poll(() => second.seen).toEqual([`3 ${one} 3`, `5 ${one} 4`])
  await second.stop()
  await store.close()
})

it('goes on while the sessions it follows are deleted', async () => {
  const store = await openTestStore()
  await store.append(one, 0, [created()])
  const { seen, stop } = collect(store, 0)
  await expect.poll(() => seen.length).toBe(1)
  await store.remove(one, 'ada')
  await store.append(other, 0, [created()])
  await expect.poll(() => seen).toEqual([`1 ${one} 1`, `2 ${other} 1`])
  await store.remove(other, 'ada')
  expect(await stop()).toBe(2)
  const resumed = collect(store, 2)
  await store.append(one, 0, [created()])
  await expect.poll(() => resumed.seen).toEqual([`3 ${one} 1`])
})

it('sees a transaction of another process that commits late before everything that was written after it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-follow-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'log.db')
  const store = await createSqlStore({ file, clock: createHeldClock(), ids: createCountingIds() })
  await store.append(one, 0, [created()])
  const { seen, stop } = collect(store, 0)
  const late = await openDatabase(file)
  const columns = { kind: 'note', stream_id: 'late', seq: 1, id: 'evt_late', at: 'now', type: 'T', data: '{}', v: 1 }
  let append: Promise<unknown> = Promise.resolve()
  await late.transaction().execute(async (trx) => {
    await trx
      .insertInto('stream_events')
      .values({ ...columns, agent: null, turn_id: null })
      .execute()
    append = store.append(one, 1, [thought('later')])
    // Long enough for the append to be tried: the open transaction keeps it from getting a position.
    await expect.poll(() => seen).toEqual([`1 ${one} 1`])
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(seen).toHaveLength(1)
  })
  await append
  await expect.poll(() => seen).toEqual([`1 ${one} 1`, '2 late 1', `3 ${one} 2`])
  await stop()
  await late.destroy()
  await store.close()
})

it('follows only the kinds that it asks for', async () => {
  const store = await openTestStore()
  await store.append(one, 0, [created()])
  const { seen, stop } = collect(store, 0, ['note'])
  await store.append(one, 1, [thought('a')])
  const note = { type: 'NoteWritten', data: {} }
  const kind = { name: 'note', draft: z.object({ type: z.string(), data: z.object({}) }), fold: () => null }
  await store.streams(kind).append('n', 0, [note])
  await store.append(one, 2, [thought('b')])
  await store.streams(kind).append('n', 1, [note])
  await expect.poll(() => seen).toEqual(['3 n 1', '5 n 2'])
  expect(await stop()).toBe(5)
})

it('refuses a position that the log has not reached', async () => {
  const store = await openTestStore()
  await store.append(one, 0, [created()])
  const { signal } = new AbortController()
  const refused = followAll(store, { after: 2, signal }).next()
  await expect(refused).rejects.toMatchObject({ code: 'cursor.beyond-log', facts: { position: 2, lastPosition: 1 } })
})
