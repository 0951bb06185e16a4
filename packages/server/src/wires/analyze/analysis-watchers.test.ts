import { silentLogger } from '@quarterdeck/engine'
import { type Principal, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { openTestApp } from '../../app/app.fixture.ts'
import { createSigner } from '../../auth/create-signer.ts'
import { createBackgroundWork } from '../../runtime/background-work.ts'
import type { Script } from '../../runtime/runtime.fixture.ts'
import { answer, ofType, query, readStream } from './analysis.fixture.ts'
import { analysisClient, analysisTag } from './analysis-session.ts'
import { createAnalysisWatchers, openAnalysisWatchers } from './analysis-watchers.ts'
import { toolTokenOf } from './tool-token.ts'

const operator: Principal = { name: 'operator', owner: 'operator', scope: 'admin', requestsPerMinute: null }

/** A runtime with an analysis that has no watcher yet. */
async function openUnattended(script: Script) {
  const app = await openTestApp(script)
  onTestFinished(app.close)
  const sessions = app.runtime.engine.sessionsOf(operator)
  const allowedTools = analysisClient.tools.map(({ name }) => name)
  const first = { agent: 'hello', mode: 'chat', message: 'How many?' } as const
  const asked = { ...first, tags: [analysisTag], client: analysisClient, allowedTools }
  const { sessionId } = await sessions.createSession(asked, 'operator')
  const status = async (id: SessionId = sessionId) => (await sessions.getSession(id)).session.status
  return { ...app, sessions, sessionId, status }
}

it('a final answer is accepted when the store is writable again, and the failure is logged', async () => {
  const { sessions, sessionId, status } = await openUnattended([[answer('Done.')]])
  await expect.poll(() => status(), { timeout: 60_000 }).toBe('waiting_client')
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const logged: unknown[] = []
  const outages = [new QuarterdeckError('store.unavailable', 'the disk is full')]
  createAnalysisWatchers({
    sessions: {
      ...sessions,
      async returnClientCall(...call) {
        const outage = outages.pop()
        if (outage !== undefined) throw outage
        return sessions.returnClientCall(...call)
      },
    },
    expiryMs: 60_000,
    closing: closing.signal,
    background: createBackgroundWork(),
    logger: { ...silentLogger, error: (facts) => void logged.push(facts) },
  }).watch(sessionId)
  await expect.poll(() => status(), { timeout: 60_000 }).toBe('idle')
  expect(logged).toMatchObject([{ sessionId, error: { code: 'store.unavailable' } }])
})

it('a reader is enough for an analysis to finish', async () => {
  const { app, sessionId } = await openUnattended([[answer('Done.')]])
  const viewer = { ...operator, name: 'eye', scope: 'viewer' } as const
  const headers = { host: '127.0.0.1:4300' }
  const env = { known: { principal: viewer, key: null } }
  const stream = readStream(await app.request(`/api/analyze?sessionId=${sessionId}`, { headers }, env))
  await stream.until((frames) => ofType(frames, 'done').length > 0)
  expect(ofType(stream.frames, 'answer').map(({ result }) => result.answer)).toEqual(['Done.'])
})

it('a tool result without a reader is enough for an analysis to finish', async () => {
  const { call, accessToken, sessions, sessionId, status } = await openUnattended([[query('A'), answer('Done.')]])
  await expect.poll(() => status(), { timeout: 60_000 }).toBe('waiting_client')
  const [open] = (await sessions.listClientCalls(sessionId)).calls
  const returned = await call('/api/analyze/tool-result', {
    method: 'POST',
    body: { sessionId, toolCallId: open?.callId, result: 1 },
    headers: { 'x-tool-token': toolTokenOf({ sign: createSigner(accessToken) }, sessionId) },
  })
  expect(returned.status).toBe(202)
  await expect.poll(() => status(), { timeout: 60_000 }).toBe('idle')
})

it('unfinished analyses of an earlier server are found: an answer is accepted, and an abandoned call is parked', async () => {
  const { sessions, sessionId, status } = await openUnattended((input) =>
    input === 'How many?' ? [query('A')] : [answer('Done.')],
  )
  const { session } = await sessions.getSession(sessionId)
  const { agentName: agent, allowedTools = [] } = session
  const other = { agent, allowedTools, tags: [analysisTag], client: analysisClient, message: 'And?' }
  const { sessionId: answered } = await sessions.createSession(other, 'operator')
  for (const id of [sessionId, answered]) {
    await expect.poll(() => status(id), { timeout: 60_000 }).toBe('waiting_client')
  }
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const background = createBackgroundWork()
  openAnalysisWatchers({ sessions, expiryMs: 20, closing: closing.signal, background, logger: silentLogger })
  await expect.poll(() => status(answered), { timeout: 60_000 }).toBe('idle')
  const clients = async () => (await sessions.getSession(sessionId)).session.clients
  await expect.poll(clients, { timeout: 60_000 }).toEqual([])
  expect(await status()).toBe('waiting_client')
})
