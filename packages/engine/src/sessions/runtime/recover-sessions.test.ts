// A process died in the middle of a session, and the one that takes it up runs already: nothing starts that would
// recover it, so taking it up does.
import type { EventType, SessionEvent, SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { openTestRuntime, type TestRuntimeOptions } from '../testing/test-runtime.fixture.ts'

type Runtime = Awaited<ReturnType<typeof openTestRuntime>>

/** A house in the middle of a turn, and one that runs beside it for which the first is dead. */
async function leftBehind(options: Partial<TestRuntimeOptions> & { taker?: (store: EventStore) => EventStore } = {}) {
  const stalling = createScriptedBackend({ script: [[{ type: 'stall', chunks: ['I was say'] }]] })
  const dead = await openTestRuntime({ ...options, backend: stalling })
  const backend = createScriptedBackend({ script: () => [{ type: 'text', chunks: ['on it'] }] })
  const taker = await openTestRuntime({ ...options, backend, store: options.taker?.(dead.store) ?? dead.store })
  const { sessionId } = await dead.sessions.create({ agent: 'tester', message: 'go' }, 'ana')
  await expect.poll(() => dead.store.openTexts(sessionId)).toHaveLength(1)
  return { sessionId, store: dead.store, taker }
}

const statusOf = async ({ sessions }: Runtime, sessionId: SessionId) =>
  (await sessions.snapshot(sessionId)).session.status
const only = <Type extends EventType>(events: readonly SessionEvent[], type: Type) =>
  events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)

it('takes a message, with the turn that was cut off told before it', async () => {
  const { sessionId, taker } = await leftBehind()
  await taker.sessions.send(sessionId, { content: 'and now?' }, 'ben')
  await taker.until(sessionId, 'idle')
  const log = await taker.log(sessionId)
  expect(only(log, 'AgentSessionRecovered')).toHaveLength(1)
  expect(only(log, 'AgentStreamDiscarded')[0]?.data.text).toBe('I was say')
  expect(only(log, 'TurnEnded').map(({ data }) => data.outcome)).toEqual(['interrupted', 'completed'])
})

it('is cancelled, closed or resumed', async () => {
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

it('is recovered once by many at a time, and not again by those who come later', async () => {
  const { sessionId, taker } = await leftBehind()
  const send = (content: string) => taker.sessions.send(sessionId, { content }, 'ben')
  await Promise.all([send('one'), send('two'), taker.coordinator.recover(sessionId)])
  await send('three')
  await expect.poll(async () => only(await taker.log(sessionId), 'TurnEnded').length).toBe(4)
  expect(await taker.coordinator.recover(sessionId)).toBe(false)
  expect(only(await taker.log(sessionId), 'AgentSessionRecovered')).toHaveLength(1)
})

it('goes on by itself where its agent says so', async () => {
  const { sessionId, taker } = await leftBehind({ agent: { onCrash: 'continue' } })
  await taker.coordinator.recover(sessionId)
  await taker.until(sessionId, 'idle')
})

it('is tried again after a recovery that failed', async () => {
  let isBroken = true
  const { sessionId, taker } = await leftBehind({
    taker: (store) => ({
      ...store,
      openTexts: (id) => (isBroken ? Promise.reject(new Error('the disk is gone')) : store.openTexts(id)),
    }),
  })
  const send = () => taker.sessions.send(sessionId, { content: 'and now?' }, 'ben')
  await expect(send()).rejects.toThrow('the disk is gone')
  isBroken = false
  await send()
  await taker.until(sessionId, 'idle')
  expect(only(await taker.log(sessionId), 'UserMessageQueued').map(({ data }) => data.content)).toEqual([
    'go',
    'and now?',
  ])
})

it('has the answers booked that were cut off, by what was seen of them', async () => {
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
  const booked = only(await taker.log(sessionId), 'UsageRecorded')
  expect(booked.map(({ data }) => data)).toMatchObject([{ tokens: { output: 10 } }, { tokens: { output: 10 } }])
  expect(await store.begunAnswers()).toEqual([])
})
