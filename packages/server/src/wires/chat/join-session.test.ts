import type { SessionId } from '@quarterdeck/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sessionIn, textOf } from './chat-client.fixture.ts'
import { type ChatServer, startChatServer } from './chat-server.fixture.ts'

let chatServer: ChatServer
beforeAll(async () => {
  chatServer = await startChatServer()
})
afterEach(() => chatServer.leave())
afterAll(() => chatServer.close())

const begin = (query?: string) => chatServer.begin(query)
const connect = (query?: string) => chatServer.connect(query)
const statusOf = (sessionId: SessionId) => chatServer.statusOf(sessionId)

describe('joining a session', () => {
  /** By other connections. */
  async function untilDeleted(sessionId: SessionId): Promise<void> {
    const isThere = async () => {
      await begin()
      return statusOf(sessionId).then(
        () => true,
        () => false,
      )
    }
    await expect.poll(isThere, { timeout: 30_000 }).toBe(false)
  }

  it('sends the running turn from its start and then live events, the same to all clients', async () => {
    const first = await begin()
    first.chat.send({ message: 'earlier' })
    await first.chat.completed()
    first.chat.send({ message: 'stall' })
    await first.chat.until(({ content }) => content.includes('a '))
    const second = await begin(`?sessionId=${first.sessionId}`)
    expect(second.connected?.metadata).toMatchObject({ session_id: first.sessionId, joined: true })
    expect(textOf(await second.chat.until(({ content }) => content.includes('a ')))).toBe('half a ')
    second.chat.send({ message: 'from the second' })
    first.chat.send({ type: 'interrupt' })
    await first.chat.completed()
    await second.chat.completed()
    await chatServer.client.resume(first.sessionId).catch(() => undefined)
    for (const { chat } of [first, second]) {
      expect(textOf(await chat.until(({ content }) => content.includes('second')))).toContain(
        'You said from the second',
      )
    }
  })

  it('sends open asks', async () => {
    const { sessionId } = await chatServer.client.createSession({ agent: 'hello', message: 'ask' })
    await expect.poll(() => statusOf(sessionId), { timeout: 30_000 }).toBe('waiting_approval')
    const { chat } = await begin(`?sessionId=${sessionId}`)
    const asked = await chat.next('approval_request')
    chat.send({ type: 'approval', id: asked?.metadata?.id, decision: 'deny' })
    await chat.completed()
    expect(chat.chunks.filter(({ type }) => type === 'approval_request')).toHaveLength(1)
  })

  it('is possible again after a lost connection: the session continues', async () => {
    const { chat, sessionId } = await begin()
    chat.send({ message: 'stall' })
    await chat.until(({ content }) => content.includes('a '))
    await chat.close()
    expect(await statusOf(sessionId)).toBe('running')
    const again = await begin(`?sessionId=${sessionId}`)
    expect(textOf(await again.chat.until(({ content }) => content.includes('a ')))).toBe('half a ')
    again.chat.send({ type: 'interrupt' })
    await again.chat.completed()
  })

  it('leaves a joined session to the other clients on reset', async () => {
    const { sessionId } = await chatServer.client.createSession({ agent: 'hello', message: 'hi' })
    const { chat } = await begin(`?sessionId=${sessionId}`)
    chat.send({ type: 'reset' })
    expect(sessionIn(await chat.next('reset_complete'))).not.toBe(sessionId)
    await expect.poll(() => statusOf(sessionId), { timeout: 30_000 }).toBe('idle')
  })

  it.each(['ses_nobodyhasthis', 'nonsense', '..%2F..'])(
    'is refused before the connection is opened: %s',
    async (id) => {
      await expect(connect(`?sessionId=${id}`)).rejects.toThrow('refused with 404')
    },
  )

  it('is possible with an empty session until the same client connects again, which deletes it', async () => {
    const { chat, sessionId } = await begin()
    await chat.close()
    const again = await begin(`?sessionId=${sessionId}`)
    await begin()
    expect(await statusOf(sessionId)).toBe('idle')
    await again.chat.close()
    await untilDeleted(sessionId)
  })

  it('keeps an empty session while any client is in it', async () => {
    const first = await begin()
    const stays = await begin(`?sessionId=${first.sessionId}`)
    const goes = await begin(`?sessionId=${first.sessionId}`)
    for (const { chat } of [first, goes]) {
      await chat.close()
      const later = await begin()
      await later.chat.close()
      await untilDeleted(later.sessionId)
      expect(await statusOf(first.sessionId)).toBe('idle')
    }
    stays.chat.send({ message: 'still' })
    expect(textOf(await stays.chat.completed())).toBe('You said still')
  })
})
