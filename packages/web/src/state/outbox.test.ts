import { createClient } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { problem } from './log-server.fixture.ts'
import { sessionId } from './logged-event.fixture.ts'
import { createOutbox } from './outbox.ts'

type Answer = 'accepted' | 'lost' | 'refused'

/** A server that answers as told, and remembers under which keys it was asked. */
function scripted(...answers: readonly Answer[]) {
  const keys: (string | null)[] = []
  const client = createClient({
    baseUrl: 'http://outbox',
    fetch: async (input, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      const answer = answers[keys.length - 1]
      if (answer === 'lost') throw new TypeError('fetch failed')
      if (answer === 'refused') return Response.json(problem('server.draining', 503, 'closing'), { status: 503 })
      const isMessage = String(input).endsWith('/messages')
      return Response.json({ sessionId, appliedSeq: 1, ...(isMessage ? { messageId: 'umsg_000001' } : {}) })
    },
  })
  return { outbox: createOutbox(client), keys }
}

const different = (keys: readonly (string | null)[]) => new Set(keys).size

it('sends a message again under the same key until it is accepted', async () => {
  const { outbox, keys } = scripted('lost', 'refused', 'accepted')
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it' })).rejects.toMatchObject({
    code: 'server.unreachable',
  })
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it' })).rejects.toMatchObject({ code: 'server.draining' })
  await outbox.sendMessage(sessionId, { content: 'Fix it' })
  expect(keys).toHaveLength(3)
  expect(different(keys)).toBe(1)
})

it('takes a new key for the same words after they were accepted', async () => {
  const { outbox, keys } = scripted('accepted', 'accepted')
  await outbox.sendMessage(sessionId, { content: 'Go on' })
  await outbox.sendMessage(sessionId, { content: 'Go on' })
  expect(different(keys)).toBe(2)
})

it('takes a new key for changed words, and the old one again for the old words', async () => {
  const { outbox, keys } = scripted('lost', 'lost', 'accepted')
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it' })).rejects.toThrow()
  await expect(outbox.sendMessage(sessionId, { content: 'Fix it well' })).rejects.toThrow()
  await outbox.sendMessage(sessionId, { content: 'Fix it' })
  expect(keys[1]).not.toBe(keys[0])
  expect(keys[2]).toBe(keys[0])
})

it('starts a session again under the same key until it is accepted, and each start under its own', async () => {
  const { outbox, keys } = scripted('lost', 'lost', 'accepted', 'accepted')
  const start = { agent: 'coder', message: 'Fix it' }
  await expect(outbox.startSession(start)).rejects.toThrow()
  await expect(outbox.startSession({ agent: 'coder' })).rejects.toThrow()
  await outbox.startSession(start)
  await outbox.startSession(start)
  expect(keys[2]).toBe(keys[0])
  expect(different(keys)).toBe(3)
})
