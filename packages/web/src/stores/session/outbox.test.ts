import { createClient } from '@quarterdeck/client'
import { expect, it } from 'vitest'
import { problem } from '../testing/log-server.fixture.ts'
import { sessionId } from '../testing/logged-event.fixture.ts'
import { createOutbox } from './outbox.ts'

type Answer = 'accepted' | 'lost' | 'refused'

/** A server with scripted responses that records the idempotency keys it receives. */
function scripted(...answers: readonly Answer[]) {
  const keys: (string | null)[] = []
  const bodies: unknown[] = []
  const client = createClient({
    baseUrl: 'http://outbox',
    fetch: async (input, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      bodies.push(JSON.parse(String(init?.body)))
      const answer = answers[keys.length - 1]
      if (answer === 'lost') throw new TypeError('fetch failed')
      if (answer === 'refused') return Response.json(problem('request.rate-limited', 429, 'slowly'), { status: 429 })
      const isMessage = String(input).endsWith('/messages')
      return Response.json({ sessionId, appliedSeq: 1, ...(isMessage ? { messageId: 'umsg_000001' } : {}) })
    },
  })
  return { outbox: createOutbox(client), keys, bodies }
}

const different = (keys: readonly (string | null)[]) => new Set(keys).size

it('sends a message again under the same key until it is accepted', async () => {
  const { outbox, keys } = scripted('lost', 'refused', 'accepted')
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it' })).rejects.toMatchObject({
    code: 'server.unreachable',
  })
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it' })).rejects.toMatchObject({
    code: 'request.rate-limited',
  })
  await outbox.sendMessage(sessionId, { content: 'Fix it' })
  expect(keys).toHaveLength(3)
  expect(different(keys)).toBe(1)
})

it('uses a new key for the same text after it was accepted', async () => {
  const { outbox, keys } = scripted('accepted', 'accepted')
  await outbox.sendMessage(sessionId, { content: 'Go on' })
  await outbox.sendMessage(sessionId, { content: 'Go on' })
  expect(different(keys)).toBe(2)
})

it('uses a new key for changed text, and the first key again for the first text', async () => {
  const { outbox, keys } = scripted('lost', 'lost', 'accepted')
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it' })).rejects.toThrow()
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it well' })).rejects.toThrow()
  await outbox.sendMessage(sessionId, { content: 'Fix it' })
  expect(keys[1]).not.toBe(keys[0])
  expect(keys[2]).toBe(keys[0])
})

it('keeps the key of a lost message when another message is accepted', async () => {
  const { outbox, keys } = scripted('lost', 'accepted', 'accepted')
  await expect(outbox.sendMessage(sessionId, { content: 'A' })).rejects.toThrow()
  await outbox.sendMessage(sessionId, { content: 'B' })
  await outbox.sendMessage(sessionId, { content: 'A' })
  expect(keys[2]).toBe(keys[0])
})

it('cannot deliver the same text twice by steering with it after the response was lost', async () => {
  const { outbox, keys, bodies } = scripted('lost', 'accepted', 'accepted')
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it', delivery: 'queued' })).rejects.toThrow()
  await outbox.sendMessage(sessionId, { content: 'Fix it', delivery: 'immediate' })
  expect(keys[1]).toBe(keys[0])
  expect(bodies[1]).toEqual(bodies[0])
  await outbox.sendMessage(sessionId, { content: 'Fix it', delivery: 'immediate' })
  expect(bodies[2]).toEqual({ content: 'Fix it', delivery: 'immediate' })
})

it('can deliver a refused message another way', async () => {
  const { outbox, bodies } = scripted('refused', 'accepted')
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it', delivery: 'queued' })).rejects.toThrow()
  await outbox.sendMessage(sessionId, { content: 'Fix it', delivery: 'immediate' })
  expect(bodies[1]).toEqual({ content: 'Fix it', delivery: 'immediate' })
})

it('starts a session again under the same key until it is accepted, and uses another key for each start', async () => {
  const { outbox, keys } = scripted('lost', 'lost', 'accepted', 'accepted')
  const start = { agent: 'coder', message: 'Fix it' }
  await expect(outbox.startSession(start)).rejects.toThrow()
  await expect(outbox.startSession({ agent: 'coder' })).rejects.toThrow()
  await outbox.startSession(start)
  await outbox.startSession(start)
  expect(keys[2]).toBe(keys[0])
  expect(different(keys)).toBe(3)
})
