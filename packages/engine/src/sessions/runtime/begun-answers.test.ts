import { type ModelUse, QuarterdeckError } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../ports/logger.ts'
import {
  createCountingIds,
  created,
  createHeldClock,
  sessionId,
} from '../../store/ports/contract/store-harness.contract.ts'
import { openTestStore } from '../../testing/test-store.fixture.ts'
import { bookBegunAnswers, createBegunAnswers } from './begun-answers.ts'

const answer = (number: number, apiMessageId: string): ModelUse => ({
  sessionId: sessionId(number),
  requestId: `req_${apiMessageId}`,
  apiMessageId,
  requestedModel: 'claude-sonnet-4-6',
  servedModel: 'claude-sonnet-4-6',
  tokens: { input: 5, output: 1, cacheRead: 2, cacheWrite: 3 },
})

async function storeWith(...answers: readonly ModelUse[]) {
  const store = await openTestStore({ clock: createHeldClock(), ids: createCountingIds() })
  await store.append(sessionId(1), 0, [created()])
  for (const one of answers) await store.noteBegun(one)
  return store
}

describe('answers that a dead process had begun', () => {
  it('are booked once, as estimates of what was seen', async () => {
    const store = await storeWith(answer(1, 'm1'), answer(1, 'm2'))
    const data = { text: 'forty characters of an answer, not more.', messageId: 'm2', kind: 'text' } as const
    await store.saveOpenText(sessionId(1), { type: 'AgentStreamSnapshot', agent: null, data })
    const booked: ModelUse[] = []
    const booking = { store, book: async (use: ModelUse) => void booked.push(use), logger: silentLogger }
    await bookBegunAnswers(booking)
    expect(booked.map(({ apiMessageId, tokens }) => [apiMessageId, tokens])).toEqual([
      ['m1', { input: 5, output: 1, cacheRead: 2, cacheWrite: 3, isOutputEstimated: true }],
      ['m2', { input: 5, output: 10, cacheRead: 2, cacheWrite: 3, isOutputEstimated: true }],
    ])
    await bookBegunAnswers(booking)
    expect(booked).toHaveLength(2)
  })

  it('are left to the holder of the session, and dropped with a deleted session', async () => {
    const store = await storeWith(answer(1, 'm1'), answer(2, 'm2'))
    const book = async ({ sessionId: id }: ModelUse) => {
      throw new QuarterdeckError(id === sessionId(1) ? 'session.held-elsewhere' : 'session.not-found', 'no')
    }
    await bookBegunAnswers({ store, book, logger: silentLogger })
    expect(await store.begunAnswers()).toEqual([answer(1, 'm1')])
  })

  it('are looked up in one session when only that one is taken', async () => {
    const store = await storeWith(answer(1, 'm1'), answer(2, 'm2'))
    const booked: string[] = []
    const book = async (use: ModelUse) => void booked.push(use.apiMessageId)
    await bookBegunAnswers({ store, book, logger: silentLogger }, sessionId(2))
    expect(booked).toEqual(['m2'])
  })

  it('are booked as an estimate when their counts are impossible', async () => {
    const store = await storeWith()
    const begun = createBegunAnswers({ store, logger: silentLogger })
    const odd = { ...answer(1, 'm1'), tokens: { ...answer(1, 'm1').tokens, input: 'abc', output: -3 } } as unknown
    begun.note(odd as ModelUse)
    await begun.noted(answer(1, 'm1'))
    const tokens = { input: 0, output: 0, cacheRead: 2, cacheWrite: 3, isOutputEstimated: true }
    expect(await store.begunAnswers()).toEqual([{ ...answer(1, 'm1'), tokens }])
  })

  it('do not prevent the booking of the others when one fails', async () => {
    const store = await storeWith(answer(1, 'm1'), answer(1, 'm2'))
    const booked: string[] = []
    const book = async ({ apiMessageId }: ModelUse) => {
      if (apiMessageId === 'm1') throw new Error('no catalog')
      booked.push(apiMessageId)
    }
    await bookBegunAnswers({ store, book, logger: silentLogger })
    expect(booked).toEqual(['m2'])
    expect(await store.begunAnswers()).toEqual([answer(1, 'm1')])
  })
})

it('are noted before a booking may remove the note', async () => {
  const store = await storeWith()
  let isWritten = false
  const slow = {
    ...store,
    async noteBegun(noted: ModelUse) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      await store.noteBegun(noted)
      isWritten = true
    },
  }
  const begun = createBegunAnswers({ store: slow, logger: silentLogger })
  begun.note(answer(1, 'm1'))
  expect(isWritten).toBe(false)
  await begun.noted(answer(1, 'm1'))
  expect(isWritten).toBe(true)
  await begun.noted(answer(1, 'never noted'))
})
