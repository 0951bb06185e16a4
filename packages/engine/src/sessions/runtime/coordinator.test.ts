import type { ModelRequest, ModelUse, SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { type Logger, silentLogger } from '../../ports/logger.ts'
import { createCountingBackend } from '../../processes/counting-backend.fixture.ts'
import { backendOf, completedTurn } from '../testing/backend-of-turn.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const never = new AbortController().signal
const model = 'claude-sonnet-4-5-20250929'

it('frees the reservation for an answer of a session that is deleted meanwhile', async () => {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
  await runtime.sessions.createBudget({ scope: 'all', period: 'total', unit: 'usd', limit: 0.2 }, 'ana')
  const newSession = async () => (await runtime.sessions.createSession({ agent: 'tester' }, 'ana')).sessionId
  const [first, second] = [await newSession(), await newSession()]
  const request = (sessionId: SessionId, requestId: string) =>
    ({ sessionId, requestId, model, inputTokens: 1000, cachedInputTokens: 0, maxOutputTokens: 32_000 }) as ModelRequest
  expect(await runtime.coordinator.gatewayDecisions.authorize(request(first, 'one'), never)).toEqual({ type: 'go' })
  await runtime.sessions.deleteSession(first, 'ana')
  const tokens = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
  const use = {
    sessionId: first,
    requestId: 'one',
    apiMessageId: 'm',
    requestedModel: model,
    servedModel: null,
    tokens,
  }
  await expect(runtime.coordinator.gatewayDecisions.settle(use as unknown as ModelUse)).rejects.toMatchObject({
    code: 'session.not-found',
  })
  expect(await runtime.coordinator.gatewayDecisions.authorize(request(second, 'two'), never)).toEqual({ type: 'go' })
})

it('releases a session that another process has taken with an error, and a deleted one without', async () => {
  const logged: string[] = []
  const logger: Logger = {
    ...silentLogger,
    info: (_, message) => void logged.push(`info: ${message}`),
    error: (_, message) => void logged.push(`error: ${message}`),
  }
  const { sessions, store } = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), logger })
  const newSession = async () => (await sessions.createSession({ agent: 'tester' }, 'ana')).sessionId
  const [taken, deleted] = [await newSession(), await newSession()]
  const other = { id: 'another', role: 'server', pid: 1, startTime: '0', address: null } as const
  await store.lease(taken, other, () => false)
  await expect(sessions.sendMessage(taken, { content: 'go' }, 'ana')).rejects.toMatchObject({ code: 'store.conflict' })
  await expect.poll(() => logged).toEqual(['error: another process has taken this session: releasing it'])
  await store.remove(deleted, 'ana')
  const late = sessions.sendMessage(deleted, { content: 'go' }, 'ana')
  await expect(late).rejects.toMatchObject({ code: 'session.not-found' })
  await expect.poll(() => logged.slice(1)).toEqual(['info: the session was deleted: releasing it'])
})

it('ends a turn whose key was refused even when its agent file cannot be read', async () => {
  const { backend } = createCountingBackend(() => [{ type: 'stall', chunks: ['hm'] }])
  let isBroken = false
  const definitionNow = () => {
    if (isBroken) throw new Error('the agent file is broken')
    return {}
  }
  const runtime = await openTestRuntime({ backend, definitionNow })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await runtime.until(sessionId, 'running')
  isBroken = true
  runtime.coordinator.gatewayDecisions.onKeyRefused({ sessionId, status: 401 })
  await runtime.until(sessionId, 'failed')
  const ended = (await runtime.log(sessionId)).find((event) => event.type === 'TurnEnded')
  expect(ended?.data).toMatchObject({ result: { errorReason: expect.stringContaining('refused the key (401)') } })
})

it('interrupts a turn that waits for its process to start', async () => {
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  // Without an event of the backend, the start of its process is unknown.
  const backend = backendOf(async function* () {
    await released
    yield completedTurn
  })
  const runtime = await openTestRuntime({ backend, processes: { maxStarting: 1 } })
  const start = async () => (await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')).sessionId
  await runtime.until(await start(), 'running')
  const waiting = await start()
  await runtime.until(waiting, 'running')
  await runtime.sessions.interrupt(waiting, 'ana')
  await runtime.until(waiting, 'interrupted')
  release()
})

it('keeps a closed session that was taken again when the earlier one is released late', async () => {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  const earlier = await runtime.coordinator.open(sessionId)
  await runtime.sessions.close(sessionId, 'ana')
  const again = await runtime.coordinator.open(sessionId)
  expect(again).not.toBe(earlier)
  await runtime.coordinator.releaseIfClosed(earlier)
  expect(await runtime.coordinator.open(sessionId)).toBe(again)
  expect(await runtime.store.holderOf(sessionId)).not.toBeNull()
  await runtime.coordinator.releaseIfClosed(again)
  expect(await runtime.store.holderOf(sessionId)).toBeNull()
})
