import { draft, parseUnsavedMessages, QuarterdeckError } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { beforeAppend, openTestStore } from '../../testing/test-store.fixture.ts'
import { findMessage } from '../branches/find-message.ts'
import { backendOf, completedTurn } from '../testing/backend-of-turn.fixture.ts'
import { answersOf, eventsOf, rests, stall, type TestRuntime, textStep } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

it('does not deliver a taken message again because the disk was full at that moment', async () => {
  let failures = 1
  const store = beforeAppend(await openTestStore(), (drafts) => {
    const isTaken = drafts.length === 1 && drafts[0]?.type === 'UserMessageDelivered'
    if (isTaken && failures-- > 0) throw new QuarterdeckError('store.unavailable', 'no space left')
  })
  const received: string[] = []
  let end: () => void = () => undefined
  const isEnough = new Promise<void>((resolve) => {
    end = resolve
  })
  const talking = backendOf(async function* (input) {
    received.push(input)
    yield draft('AgentThought', { messageId: 'msg_1', text: 'hm' })
    await isEnough
    yield completedTurn
  })
  const backend: AgentBackend = {
    ...talking,
    async createSession(options) {
      const session = await talking.createSession(options)
      const steer = async (content: string) => {
        received.push(content)
        return true
      }
      return { ...session, steer }
    },
  }
  const runtime = await openTestRuntime({ backend, store })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await expect.poll(() => received).toEqual(['go'])
  await runtime.sessions.sendMessage(sessionId, { content: 'also this', delivery: 'immediate' }, 'ana')
  end()
  await runtime.until(sessionId, 'idle')
  expect(received).toEqual(['go', 'also this'])
})

describe('a message that the turn took', () => {
  const script = (input: string) =>
    input === 'go' ? [stall] : [textStep(`heard ${parseUnsavedMessages(input).join(', ')}`)]

  async function steerStalling(runtime: TestRuntime) {
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await expect.poll(() => eventsOf(runtime, sessionId, 'AgentSessionStarted')).toHaveLength(1)
    const { messageId } = await runtime.sessions.sendMessage(
      sessionId,
      { content: 'also this', delivery: 'immediate' },
      'ana',
    )
    await expect.poll(() => eventsOf(runtime, sessionId, 'UserMessageDelivered')).toHaveLength(2)
    return { sessionId, messageId }
  }

  async function expectReceivedOnce(
    runtime: TestRuntime,
    { sessionId, messageId }: Awaited<ReturnType<typeof steerStalling>>,
  ) {
    await rests(runtime, sessionId, 'idle')
    expect(await answersOf(runtime, sessionId)).toEqual(['heard go, also this'])
    const starts = await eventsOf(runtime, sessionId, 'TurnStarted')
    expect(starts.at(-1)?.data.messageIds).toEqual([...(starts[0]?.data.messageIds ?? []), messageId])
    const { messages } = await runtime.sessions.history(sessionId)
    expect(messages.map(({ content }) => content)).toEqual(['go', 'also this', 'heard go, also this'])
  }

  it('gets a turn of its own when the process crashes', async () => {
    const backend = createScriptedBackend({ script })
    const runtime = await openTestRuntime({ backend })
    const steered = await steerStalling(runtime)
    backend.crash()
    await expectReceivedOnce(runtime, steered)
    await runtime.sessions.rewind(steered.sessionId, { messageId: steered.messageId, files: false }, 'ana')
    expect((await runtime.sessions.history(steered.sessionId)).messages).toMatchObject([{ content: 'go' }])
  })

  it('gets a turn of its own when the server dies', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }) })
    const steered = await steerStalling(runtime)
    const next = await openTestRuntime({ backend: createScriptedBackend({ script }), store: runtime.store })
    await next.recover()
    await expectReceivedOnce(next, steered)
  })

  it('may have been queued for the next turn before', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
    await expect.poll(() => eventsOf(runtime, sessionId, 'AgentSessionStarted')).toHaveLength(1)
    await runtime.sessions.sendMessage(sessionId, { content: 'later' }, 'ana')
    const { messageId } = await runtime.sessions.sendMessage(sessionId, { content: 'also this' }, 'ana')
    await runtime.sessions.promoteMessage(sessionId, messageId, { delivery: 'immediate' }, 'ben')
    const delivered = (await eventsOf(runtime, sessionId, 'UserMessageDelivered')).at(-1)
    expect(delivered).toMatchObject({ data: { messageId }, turnId: expect.any(String) })
    expect(await eventsOf(runtime, sessionId, 'TurnStarted')).toHaveLength(1)
    expect((await runtime.sessions.listMessages(sessionId)).messages).toMatchObject([
      { content: 'later', delivery: 'queued' },
    ])
    await runtime.sessions.cancel(sessionId, 'ana')
  })

  it('counts as undelivered while it is queued again', async () => {
    const backend = createScriptedBackend({ script })
    const runtime = await openTestRuntime({ backend })
    const { sessionId, messageId } = await steerStalling(runtime)
    const drained = runtime.coordinator.drain(60_000)
    backend.crash()
    await drained
    expect((await runtime.sessions.listMessages(sessionId)).messages).toMatchObject([{ messageId }])
    expect(await findMessage(runtime.store, sessionId, messageId)).toMatchObject({ deliveredSeq: null })
  })
})
