import { draft, QuarterdeckError } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { AgentBackend } from '../backends/backend.ts'
import { randomIds } from '../random-ids.ts'
import type { EventStore } from '../store/event-store.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { backendOf, completedTurn } from './backend-of-turn.fixture.ts'
import { openTestHouse } from './engine.fixture.ts'

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
