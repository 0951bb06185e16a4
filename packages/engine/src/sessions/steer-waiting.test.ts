import { draft, QuarterdeckError } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend } from '../backends/backend.ts'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { randomIds } from '../random-ids.ts'
import type { EventStore } from '../store/event-store.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { backendOf, completedTurn } from './backend-of-turn.fixture.ts'
import { openTestHouse } from './engine.fixture.ts'
import { findMessage } from './find-message.ts'
import { answersOf, eventsOf, rests, say, stall, type TestHouse } from './lifecycle.fixture.ts'

it('a message that the turn has taken is not delivered again because the disk was full at that moment', async () => {
  const real = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
  let failures = 1
  const store: EventStore = {
    ...real,
    async append(...written) {
      const [, , drafts] = written
      const isTaken = drafts.length === 1 && drafts[0]?.type === 'UserMessageDelivered'
      if (isTaken && failures-- > 0) throw new QuarterdeckError('store.unavailable', 'no space left')
      return real.append(...written)
    },
  }
  const said: string[] = []
  let end: () => void = () => undefined
  const isEnough = new Promise<void>((resolve) => {
    end = resolve
  })
  const talking = backendOf(async function* (input) {
    said.push(input)
    yield draft('AgentThought', { messageId: 'msg_1', text: 'hm' })
    await isEnough
    yield completedTurn
  })
  const backend: AgentBackend = {
    ...talking,
    async createSession(options) {
      const session = await talking.createSession(options)
      const steer = async (content: string) => {
        said.push(content)
        return true
      }
      return { ...session, steer }
    },
  }
  const house = await openTestHouse({ backend, store })
  const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'go' }, 'ana')
  await expect.poll(() => said).toEqual(['go'])
  await house.sessions.send(sessionId, { content: 'also this', delivery: 'immediate' }, 'ana')
  end()
  await house.until(sessionId, 'idle')
  expect(said).toEqual(['go', 'also this'])
})

describe('a message that the turn took', () => {
  const script = (input: string) => (input === 'go' ? [stall] : [say(`heard ${input}`)])

  async function steerStalling(house: TestHouse) {
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'go' }, 'ana')
    await expect.poll(() => eventsOf(house, sessionId, 'AgentSessionStarted')).toHaveLength(1)
    const { messageId } = await house.sessions.send(sessionId, { content: 'also this', delivery: 'immediate' }, 'ana')
    await expect.poll(() => eventsOf(house, sessionId, 'UserMessageDelivered')).toHaveLength(2)
    return { sessionId, messageId }
  }

  async function expectHeardOnce(
    house: TestHouse,
    { sessionId, messageId }: Awaited<ReturnType<typeof steerStalling>>,
  ) {
    await rests(house, sessionId, 'idle')
    expect(await answersOf(house, sessionId)).toEqual(['heard also this'])
    const starts = await eventsOf(house, sessionId, 'TurnStarted')
    expect(starts.at(-1)?.data.messageIds).toEqual([messageId])
    const { messages } = await house.sessions.history(sessionId)
    expect(messages.map(({ content }) => content)).toEqual(['go', 'also this', 'heard also this'])
  }

  it('is heard in a turn of its own when the process crashes', async () => {
    const backend = createScriptedBackend({ script })
    const house = await openTestHouse({ backend })
    const steered = await steerStalling(house)
    backend.crash()
    await expectHeardOnce(house, steered)
    await house.sessions.rewind(steered.sessionId, { messageId: steered.messageId, files: false }, 'ana')
    expect((await house.sessions.history(steered.sessionId)).messages).toMatchObject([{ content: 'go' }])
  })

  it('is heard in a turn of its own when the server dies', async () => {
    const house = await openTestHouse({ backend: createScriptedBackend({ script }) })
    const steered = await steerStalling(house)
    const next = await openTestHouse({ backend: createScriptedBackend({ script }), store: house.store })
    await next.recover()
    await expectHeardOnce(next, steered)
  })

  it('can have waited for the end of that turn before', async () => {
    const house = await openTestHouse({ backend: createScriptedBackend({ script }) })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'go' }, 'ana')
    await expect.poll(() => eventsOf(house, sessionId, 'AgentSessionStarted')).toHaveLength(1)
    await house.sessions.send(sessionId, { content: 'later' }, 'ana')
    const { messageId } = await house.sessions.send(sessionId, { content: 'also this' }, 'ana')
    await house.sessions.promoteMessage({ sessionId, messageId }, { delivery: 'immediate' }, 'ben')
    const delivered = (await eventsOf(house, sessionId, 'UserMessageDelivered')).at(-1)
    expect(delivered).toMatchObject({ data: { messageId }, turnId: expect.any(String) })
    expect(await eventsOf(house, sessionId, 'TurnStarted')).toHaveLength(1)
    expect(await house.sessions.messages(sessionId)).toMatchObject([{ content: 'later', delivery: 'queued' }])
    await house.sessions.cancel(sessionId, 'ana')
  })

  it('counts as not delivered while it waits again', async () => {
    const backend = createScriptedBackend({ script })
    const house = await openTestHouse({ backend })
    const { sessionId, messageId } = await steerStalling(house)
    const drained = house.coordinator.drain(60_000)
    backend.crash()
    await drained
    expect(await house.sessions.messages(sessionId)).toMatchObject([{ messageId }])
    expect(await findMessage(house.store, sessionId, messageId)).toMatchObject({ deliveredSeq: null })
  })
})
