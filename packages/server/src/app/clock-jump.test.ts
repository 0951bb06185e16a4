// A server whose system time is set forwards and backwards while it serves. Only the date is set; timers are real.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@quarterdeck/client'
import { isDurable, type StreamedEvent } from '@quarterdeck/protocol'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { runtimeOptions } from '../runtime/runtime.fixture.ts'
import { startServer } from './start-server.ts'

const day = 24 * 3_600_000
afterEach(() => vi.useRealTimers())

it('keeps the order of events, loses no message and stays ready when the system time jumps', async () => {
  const runtime = await runtimeOptions((input) => [{ type: 'text', chunks: [`received ${input}`] }])
  const server = await startServer({ host: '127.0.0.1', port: 0, runtime })
  onTestFinished(() => server.close())
  const token = (await readFile(join(runtime.dataDir, 'token'), 'utf8')).trim()
  const client = createClient({ baseUrl: server.url, token })
  const startedAt = Date.now()
  const { sessionId } = await client.createSession({ agent: 'hello' })
  const seen: StreamedEvent[] = []
  const following = (async () => {
    for await (const event of client.follow(sessionId)) {
      seen.push(event)
      if (seen.filter(({ type }) => type === 'TurnEnded').length === 4) break
    }
  })()
  const jumps = [0, 400 * day, -400 * day, 0]
  for (const [index, jump] of jumps.entries()) {
    vi.useFakeTimers({ toFake: ['Date'], now: startedAt + jump })
    const content = `message ${index}`
    const key = `key-${index}`
    const accepted = await client.sendMessage(sessionId, { content }, { key })
    // The same request again, as after a lost reply.
    expect(await client.sendMessage(sessionId, { content }, { key })).toEqual(accepted)
    await expect.poll(async () => (await client.getSession(sessionId)).session.status, { timeout: 30_000 }).toBe('idle')
    expect((await fetch(`${server.url}/ready`)).status).toBe(200)
    vi.useRealTimers()
  }
  await following
  const log = seen.filter(isDurable)
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  expect(log.flatMap((event) => (event.type === 'AgentThought' ? [event.data.text] : []))).toEqual(
    jumps.map((_, index) => `received message ${index}`),
  )
  const { session } = await client.getSession(sessionId)
  // Working time comes from a monotonic clock: a jump does not reach `max_duration`.
  expect(session.durationMs).toBeLessThan(day)
})
