// Reports of the gateway reach the session's log, its queue position and its turn.
import { QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { beforeAppend, openTestStore } from '../../testing/test-store.fixture.ts'
import { ofType } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

async function stalled(store?: EventStore) {
  const backend = createScriptedBackend({ script: [[{ type: 'stall', chunks: ['I begin'] }]] })
  const runtime = await openTestRuntime({ backend, ...(store === undefined ? {} : { store }) })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await runtime.until(sessionId, 'running')
  return { runtime, sessionId }
}

const named = (sessionId: SessionId) => ({ sessionId, requestId: 'req_1' })

it('logs each retry of the gateway with its delay and its turn', async () => {
  const { runtime, sessionId } = await stalled()
  const retry = { attempt: 1, maxRetries: 8, delayMs: 1500, status: 529, error: 'overloaded_error' }
  runtime.coordinator.gatewayDecisions.onRetrying({ ...named(sessionId), ...retry })
  const retries = async () => ofType(await runtime.log(sessionId), 'ModelRequestRetrying')
  await expect.poll(async () => (await retries()).length, { timeout: 30_000 }).toBe(1)
  const [logged] = await retries()
  expect(logged?.data).toEqual({ ...retry, source: 'gateway' })
  expect(logged?.turnId).toBeDefined()
})

it('ends the turn at once when the provider refuses the key, and names the variable to check', async () => {
  const { runtime, sessionId } = await stalled()
  runtime.coordinator.gatewayDecisions.onKeyRefused({ sessionId, status: 401 })
  await runtime.until(sessionId, 'failed')
  const [ended] = ofType(await runtime.log(sessionId), 'TurnEnded')
  expect(ended?.data).toMatchObject({
    outcome: 'failed',
    result: { errorReason: 'the provider refused the key (401): check ANTHROPIC_API_KEY' },
  })
})

it('shows the queue position of a request that waits for the rate limit', async () => {
  const { runtime, sessionId } = await stalled()
  runtime.coordinator.gatewayDecisions.onWaiting(named(sessionId), { position: 2, waiting: 3 })
  expect((await runtime.sessions.queue()).waiting).toMatchObject([
    { sessionId, queuePosition: { reason: 'rate', position: 2, waiting: 3 } },
  ])
  runtime.coordinator.gatewayDecisions.onWaiting(named(sessionId), null)
  expect((await runtime.sessions.queue()).waiting).toEqual([])
})

it('books the usage of a turn before the turn ends, even if the disk was full when the answer arrived', async () => {
  let refusedBookings = 0
  const store = beforeAppend(await openTestStore(), (drafts) => {
    if (!drafts.some((one) => one.type === 'UsageRecorded') || refusedBookings === 2) return
    refusedBookings += 1
    throw new QuarterdeckError('store.unavailable', 'no space left')
  })
  const { runtime, sessionId } = await stalled(store)
  const model = 'claude-sonnet-4-6'
  const settled = runtime.coordinator.gatewayDecisions.settle({
    ...named(sessionId),
    apiMessageId: 'msg_1',
    requestedModel: model,
    servedModel: model,
    tokens: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
  })
  await expect.poll(() => refusedBookings, { timeout: 30_000 }).toBe(1)
  await runtime.sessions.interrupt(sessionId, 'ana')
  await settled
  await runtime.until(sessionId, 'interrupted')
  const types = (await runtime.log(sessionId)).map(({ type }) => type)
  expect(types).toContain('UsageRecorded')
  expect(types.indexOf('UsageRecorded')).toBeLessThan(types.indexOf('TurnEnded'))
})
