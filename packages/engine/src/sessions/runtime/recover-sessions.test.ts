// A process died in the middle of a session while another server runs: taking the session recovers it, without a start.
import type { SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { ofType, type TestRuntime } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime, type TestRuntimeOptions } from '../testing/test-runtime.fixture.ts'

/** A runtime in the middle of a turn, and another one for which the first is dead. */
async function leftBehind(options: Partial<TestRuntimeOptions> & { taker?: (store: EventStore) => EventStore } = {}) {
  const stalling = createScriptedBackend({ script: [[{ type: 'stall', chunks: ['I was say'] }]] })
  const dead = await openTestRuntime({ ...options, backend: stalling })
  const backend = createScriptedBackend({ script: () => [{ type: 'text', chunks: ['on it'] }] })
  const taker = await openTestRuntime({ ...options, backend, store: options.taker?.(dead.store) ?? dead.store })
  const { sessionId } = await dead.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await expect.poll(() => dead.store.openTexts(sessionId)).toHaveLength(1)
  return { sessionId, store: dead.store, taker }
}

const statusOf = async ({ sessions }: TestRuntime, sessionId: SessionId) =>
  (await sessions.getSession(sessionId)).session.status
it('accepts a message after recording the interrupted turn', async () => {
  const { sessionId, taker } = await leftBehind()
  await taker.sessions.sendMessage(sessionId, { content: 'and now?' }, 'ben')
  await taker.until(sessionId, 'idle')
  const log = await taker.log(sessionId)
  expect(ofType(log, 'AgentSessionRecovered')).toHaveLength(1)
  expect(ofType(log, 'AgentStreamDiscarded')[0]?.data.text).toBe('I was say')
  expect(ofType(log, 'TurnEnded').map(({ data }) => data.outcome)).toEqual(['interrupted', 'completed'])
})

it('can be cancelled, closed or resumed', async () => {
  const cancelled = await leftBehind()
  await cancelled.taker.sessions.cancel(cancelled.sessionId, 'ben')
  expect(await statusOf(cancelled.taker, cancelled.sessionId)).toBe('cancelled')
  const closed = await leftBehind()
  await closed.taker.sessions.close(closed.sessionId, 'ben')
  expect(await statusOf(closed.taker, closed.sessionId)).toBe('completed')
  const resumed = await leftBehind()
  await resumed.taker.sessions.resume(resumed.sessionId, 'ben')
  await resumed.taker.until(resumed.sessionId, 'idle')
})

it('is recovered once by many callers at a time, and not again by later ones', async () => {
  const { sessionId, taker } = await leftBehind()
  const send = (content: string) => taker.sessions.sendMessage(sessionId, { content }, 'ben')
  await Promise.all([send('one'), send('two'), taker.coordinator.recover(sessionId)])
  await send('three')
  await expect.poll(async () => ofType(await taker.log(sessionId), 'TurnEnded').length).toBe(4)
  expect(await taker.coordinator.recover(sessionId)).toBe(false)
  expect(ofType(await taker.log(sessionId), 'AgentSessionRecovered')).toHaveLength(1)
})

it('continues by itself if its agent file says so', async () => {
  const { sessionId, taker } = await leftBehind({ agent: { onCrash: 'continue' } })
  await taker.coordinator.recover(sessionId)
  await taker.until(sessionId, 'idle')
})

it('is recovered again after a failed recovery', async () => {
  let isBroken = true
  const { sessionId, taker } = await leftBehind({
    taker: (store) => ({
      ...store,
      openTexts: (id) => (isBroken ? Promise.reject(new Error('the disk is gone')) : store.openTexts(id)),
    }),
  })
  const send = () => taker.sessions.sendMessage(sessionId, { content: 'and now?' }, 'ben')
  await expect(send()).rejects.toThrow('the disk is gone')
  isBroken = false
  await send()
  await taker.until(sessionId, 'idle')
  expect(ofType(await taker.log(sessionId), 'UserMessageQueued').map(({ data }) => data.content)).toEqual([
    'go',
    'and now?',
  ])
})

it('books interrupted answers by what was seen of them', async () => {
  const { sessionId, store, taker } = await leftBehind()
  for (const apiMessageId of ['m1', 'm2']) {
    const data = { text: 'forty characters of an answer, not more.', messageId: apiMessageId, kind: 'text' } as const
    await store.saveOpenText(sessionId, { type: 'AgentStreamSnapshot', agent: null, data })
    await store.noteBegun({
      sessionId,
      requestId: `req_${apiMessageId}`,
      apiMessageId,
      requestedModel: 'claude-sonnet-4-6',
      servedModel: 'claude-sonnet-4-6',
      tokens: { input: 5, output: 1, cacheRead: 0, cacheWrite: 0 },
    })
  }
  await taker.sessions.close(sessionId, 'ben')
  const booked = ofType(await taker.log(sessionId), 'UsageRecorded')
  expect(booked.map(({ data }) => data)).toMatchObject([{ tokens: { output: 10 } }, { tokens: { output: 10 } }])
  expect(await store.begunAnswers()).toEqual([])
})
