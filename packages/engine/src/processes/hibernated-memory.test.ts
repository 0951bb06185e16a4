// A hibernated session costs its row in the store and next to nothing in memory.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import { createSqlStore } from '../store/sql/create-sql-store.ts'
import { randomIds } from '../system/random-ids.ts'
import { createCountingBackend } from './counting-backend.fixture.ts'

/** `npm run soak` uses more. */
const sessionCount = Number(process.env.QUARTERDECK_HIBERNATED ?? 100)
const mebibyte = 1024 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

async function usedHeap(): Promise<number> {
  // A weakly referenced object is collected one event-loop turn after its last use.
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}

it('keeps less than 0.1 MiB per session, and each session still answers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-hibernated-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const clock = { now: () => new Date() }
  const store = await createSqlStore({ file: join(folder, 'test.db'), clock, ids: randomIds })
  const counting = createCountingBackend(() => [{ type: 'text', chunks: [randomBytes(5_000).toString('hex')] }])
  const runtime = await openTestRuntime({ backend: counting.backend, store, processes: { hibernateAfterMs: 40 } })

  const startOne = async (): Promise<SessionId> => {
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await runtime.until(sessionId, 'idle')
    counting.opened.length = 0 // these hold references to their sessions
    return sessionId
  }
  const weakly = async (sessionId: SessionId) => new WeakRef(await runtime.coordinator.open(sessionId))
  const asleep = () => expect.poll(counting.now, { timeout: 60_000 }).toBe(0)

  await startOne() // excludes one-time allocations
  await asleep()
  const before = await usedHeap()
  const ids: SessionId[] = []
  for (let index = 0; index < sessionCount; index += 1) ids.push(await startOne())
  const references = await Promise.all(ids.map(weakly))
  await asleep()
  const perSession = ((await usedHeap()) - before) / sessionCount
  expect(perSession / mebibyte).toBeLessThan(0.1)
  expect(references.filter((running) => running.deref() !== undefined).length).toBeLessThan(sessionCount / 10)

  const [any] = ids
  if (any === undefined) throw new Error('there is no session')
  await runtime.sessions.sendMessage(any, { content: 'again' }, 'ana')
  await expect
    .poll(async () => (await runtime.log(any)).filter(({ type }) => type === 'TurnEnded').length, { timeout: 60_000 })
    .toBe(2)
}, 600_000)
