// Hibernated sessions have no process, and clients that write to one see no difference.
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isQuarterdeckError, type SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import { afterEach, expect, it } from 'vitest'
import { serveConfigured } from '../support/server/configured-server.ts'
import { cliProcesses } from '../support/server/process-tree.ts'
import { reportFacts, scale } from '../support/server/scale.ts'
import type { ServedProcess } from '../support/server/serve-process.ts'
import { expectGapFree, wholeLog } from '../support/server/watched-session.ts'

const sessionCount = scale(6, 1000)
const patience = { timeout: 60_000 + sessionCount * 5000, interval: 250 }
const idleFor = (delay: string) => `processes: { max_resident: 4, hibernate_after: ${delay}, spares: false }\n`

const running: ServedProcess[] = []
async function start(options: Parameters<typeof serveConfigured>[1] = {}, hibernateAfter = '1s') {
  const served = await serveConfigured(idleFor(hibernateAfter), options)
  running.push(served)
  return served
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
})

const turnCount = async (served: ServedProcess, sessionId: SessionId) =>
  (await wholeLog(served, sessionId)).filter(({ type }) => type === 'TurnEnded').length

/** Checks each session until it hibernates, without waking it. Returns the number still awake. */
function countAwake(served: ServedProcess, ids: readonly SessionId[]): () => Promise<number> {
  const awake = new Set(ids)
  return async () => {
    for (const sessionId of awake) {
      const { session } = await served.client.getSession(sessionId)
      if (!session.isHibernated || session.status !== 'idle') break
      awake.delete(sessionId)
    }
    return awake.size
  }
}

const createOne = async (served: ServedProcess): Promise<SessionId> =>
  (await served.client.createSession({ agent: 'hello', message: 'What can you do?' })).sessionId

/** Creates the sessions as fast as the server accepts them from one key. */
async function createMany(served: ServedProcess, count: number): Promise<readonly SessionId[]> {
  const ids: SessionId[] = []
  while (ids.length < count) {
    const few = Array.from({ length: Math.min(50, count - ids.length) }, () => createOne(served))
    const results = await Promise.allSettled(few)
    for (const result of results) {
      if (result.status === 'fulfilled') ids.push(result.value)
      else if (!isQuarterdeckError(result.reason, 'request.rate-limited')) throw result.reason
    }
    if (results.some(({ status }) => status === 'rejected')) await sleep(1000)
  }
  return ids
}

/** As if the files had not been used for that long. */
async function age(folder: string, days: number): Promise<number> {
  const then = new Date(Date.now() - days * 86_400_000)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
  for (const entry of entries) await utimes(join(entry.parentPath, entry.name), then, then)
  return files.length
}

async function answersAgain(served: ServedProcess, sessionId: SessionId): Promise<void> {
  const before = await wholeLog(served, sessionId)
  await served.client.sendMessage(sessionId, { content: 'Say hello and tell me what you are.' })
  await expect.poll(() => turnCount(served, sessionId), patience).toBe(2)
  const log = await wholeLog(served, sessionId)
  expectGapFree(log)
  expect(log.slice(0, before.length)).toEqual(before)
  const conversations = log.flatMap((event) =>
    event.type === 'AgentSessionStarted' ? [event.data.backendSessionId] : [],
  )
  expect(conversations.length).toBeGreaterThan(1)
  expect(new Set(conversations).size).toBe(1)
  expect(JSON.stringify(log)).not.toContain('resume_failed')
  expect(log.filter((event) => event.type === 'AgentSessionWoken')).toHaveLength(1)
}

it(`${sessionCount} hibernated sessions have no process, and any of them answers, even the oldest`, {
  timeout: 3_600_000,
}, async () => {
  const served = await start()
  const ids = await createMany(served, sessionCount)
  const [watched, old, other] = [ids[0], ids[Math.floor(sessionCount / 2)], ids.at(-1)]
  if (watched === undefined || old === undefined || other === undefined) throw new Error('too few sessions')

  const seen: StreamedEvent[] = []
  const stop = new AbortController()
  const following = (async () => {
    for await (const event of served.client.follow(watched, { signal: stop.signal })) seen.push(event)
  })()
  await expect.poll(countAwake(served, ids), patience).toBe(0)
  await expect.poll(() => cliProcesses(served.dataDir), patience).toEqual([])

  // Files that the CLI deletes after 30 days would be gone now.
  expect(await age(join(served.dataDir, 'claude', old), 31)).toBeGreaterThan(0)
  for (const sessionId of [watched, old, other]) await answersAgain(served, sessionId)

  // A client that followed all the time got every event once, over one connection.
  await expect.poll(() => seen.filter(({ type }) => type === 'TurnEnded').length, patience).toBe(2)
  const durable = seen.flatMap((event) => ('seq' in event ? [event.seq] : []))
  expect(durable).toEqual((await wholeLog(served, watched)).slice(0, durable.length).map(({ seq }) => seq))
  stop.abort()
  await following
  await reportFacts('hibernated sessions', { sessions: sessionCount, processes: 0, oldestDays: 31 })
})

it('a session that is opened before the first message has its process by then', async () => {
  const first = await start()
  const sessionId = await createOne(first)
  await expect.poll(countAwake(first, [sessionId]), patience).toBe(0)
  await first.kill('SIGTERM')
  // A longer delay here: with one second, the session could hibernate again before the message.
  const served = await start({ dataDir: first.dataDir, env: { HOME: first.home } }, '1h')
  await served.client.wake(sessionId)
  await expect.poll(async () => (await cliProcesses(served.dataDir)).length, patience).toBe(1)
  await served.client.sendMessage(sessionId, { content: 'Say hello and tell me what you are.' })
  await expect.poll(() => turnCount(served, sessionId), patience).toBe(2)
  const woken = (await wholeLog(served, sessionId)).filter(({ type }) => type === 'AgentSessionWoken')
  expect(woken.map(({ data }) => data)).toEqual([{ reason: 'intent' }])
})

it('sessions that were hibernated when the server was killed answer on the next server', async () => {
  const first = await start()
  const ids = await createMany(first, 4)
  await expect.poll(countAwake(first, ids), patience).toBe(0)
  await first.kill('SIGKILL')
  const second = await start({ dataDir: first.dataDir, env: { HOME: first.home } })
  expect(await cliProcesses(second.dataDir)).toEqual([])
  for (const sessionId of ids) await answersAgain(second, sessionId)
})
