// A session belongs to one process at a time. A process that has lost it notices at the next write, and stops.
import type { SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import { createCountingBackend } from './counting-backend.fixture.ts'

const patient = { timeout: 60_000 }

it('stops its turn and ends its process when another process has taken the session', async () => {
  const first = createCountingBackend([
    [
      { type: 'delay', ms: 300 },
      { type: 'text', chunks: ['from the one who lost it'] },
      { type: 'stall', chunks: ['hm'] },
    ],
  ])
  const loser = await openTestRuntime({ backend: first.backend })
  const { sessionId } = await loser.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await loser.until(sessionId, 'running')
  const second = createCountingBackend([])
  const taker = await openTestRuntime({ backend: second.backend, store: loser.store })
  await taker.recover()
  await expect.poll(first.now, patient).toBe(0)
  await taker.sessions.sendMessage(sessionId, { content: 'go on' }, 'ben')
  await taker.until(sessionId, 'idle')
  const log = await taker.log(sessionId)
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  expect(JSON.stringify(log)).not.toContain('from the one who lost it')
})

it('refuses writes of the process that lost the session, even when it knows the last event', async () => {
  const loser = await openTestRuntime({ backend: createCountingBackend([]).backend })
  const { sessionId } = await loser.sessions.createSession({ agent: 'tester' }, 'ana')
  const running = await loser.coordinator.open(sessionId)
  const taker = await openTestRuntime({ backend: createCountingBackend([]).backend, store: loser.store })
  await taker.coordinator.open(sessionId as SessionId)
  await expect(running.writer.apply({ type: 'session.hibernate', reason: 'idle' })).rejects.toMatchObject({
    code: 'store.conflict',
  })
})

it('reports a session that was deleted as not found, not as taken', async () => {
  const runtime = await openTestRuntime({ backend: createCountingBackend([]).backend })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  const running = await runtime.coordinator.open(sessionId)
  await runtime.sessions.deleteSession(sessionId, 'ana')
  await expect(running.writer.apply({ type: 'session.hibernate', reason: 'idle' })).rejects.toMatchObject({
    code: 'session.not-found',
  })
})

it('removes a session that another process has taken from the queue', async () => {
  const { backend } = createCountingBackend(() => [{ type: 'stall', chunks: ['hm'] }])
  const loser = await openTestRuntime({ backend, processes: { maxRunningTurns: 1 } })
  const start = async () => (await loser.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')).sessionId
  await loser.until(await start(), 'running')
  const waiting = await start()
  const queued = async () => (await loser.sessions.queue()).waiting.map(({ sessionId }) => sessionId)
  await expect.poll(queued, patient).toEqual([waiting])
  const taker = await openTestRuntime({ backend, store: loser.store })
  await taker.coordinator.open(waiting)
  await expect(loser.sessions.sendMessage(waiting, { content: 'more' }, 'ana')).rejects.toMatchObject({
    code: 'store.conflict',
  })
  await expect.poll(queued, patient).toEqual([])
})
