import { silentLogger } from '@quarterdeck/engine'
import { type Principal, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { openTestApp } from '../../app.fixture.ts'
import type { Script } from '../../house.fixture.ts'
import { answer, ofType, readStream } from './analysis.fixture.ts'
import { analysisClient } from './analysis-session.ts'
import { createAttendants } from './attend-analysis.ts'

const operator: Principal = { name: 'operator', owner: 'operator', scope: 'admin', requestsPerMinute: null }

/** A house with an analysis that nobody attends to so far. */
async function openUnattended(script: Script) {
  const app = await openTestApp(script)
  onTestFinished(app.close)
  const sessions = app.house.engine.sessionsOf(operator)
  const allowedTools = analysisClient.tools.map(({ name }) => name)
  const asked = { agent: 'hello', mode: 'chat', message: 'How many?', client: analysisClient, allowedTools } as const
  const { sessionId } = await sessions.create(asked, 'operator')
  const status = async (id: SessionId = sessionId) => (await sessions.snapshot(id)).session.status
  return { ...app, sessions, sessionId, status }
}

it('a last word is taken as soon as the store takes anything again, and what went wrong is in the log', async () => {
  const { sessions, sessionId, status } = await openUnattended([[answer('Done.')]])
  await expect.poll(() => status(), { timeout: 60_000 }).toBe('waiting_client')
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const logged: unknown[] = []
  const outages = [new QuarterdeckError('store.unavailable', 'the disk is full')]
  createAttendants({
    sessions: {
      ...sessions,
      async returnClientCall(...call) {
        const outage = outages.pop()
        if (outage !== undefined) throw outage
        return sessions.returnClientCall(...call)
      },
    },
    ...{ expiryMs: 60_000, closing: closing.signal },
    logger: { ...silentLogger, error: (facts) => void logged.push(facts) },
  }).attend(sessionId)
  await expect.poll(() => status(), { timeout: 60_000 }).toBe('idle')
  expect(logged).toMatchObject([{ sessionId, error: { code: 'store.unavailable' } }])
})

it('whoever only looks is enough for an analysis to come to its end', async () => {
  const { app, sessionId } = await openUnattended([[answer('Done.')]])
  const viewer = { ...operator, name: 'eye', scope: 'viewer' } as const
  const headers = { host: '127.0.0.1:4300' }
  const env = { known: { principal: viewer, key: null } }
  const stream = readStream(await app.request(`/api/analyze?sessionId=${sessionId}`, { headers }, env))
  await stream.until((frames) => ofType(frames, 'done').length > 0)
  expect(ofType(stream.frames, 'answer').map(({ result }) => result.answer)).toEqual(['Done.'])
})
