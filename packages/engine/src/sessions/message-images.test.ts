import type { SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend, TurnInput } from '../backends/backend.ts'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { openTestHouse } from './engine.fixture.ts'

const beginning = btoa('\u0089PNG\r\n\u001a\n 123')
const picture = { mediaType: 'image/png', data: `${beginning}abcd` } as const
/** What looks like a key to whoever looks through text. */
const key = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('')
const keyLike = { mediaType: 'image/png', data: `${beginning}${key}` } as const

/** A scripted backend that keeps what it was asked. */
function listening(script: Parameters<typeof createScriptedBackend>[0]['script'] = []) {
  const heard: TurnInput[] = []
  const scripted = createScriptedBackend({ script })
  const backend: AgentBackend = {
    ...scripted,
    async createSession(options) {
      const session = await scripted.createSession(options)
      return {
        ...session,
        run(input, signal, messageId) {
          heard.push(input)
          return session.run(input, signal, messageId)
        },
      }
    },
  }
  return { backend, heard }
}

describe('pictures of a message', () => {
  it('reach the agent with the words they came with, in the first message and in later ones', async () => {
    const { backend, heard } = listening()
    const house = await openTestHouse({ backend })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'look', images: [picture] }, 'ana')
    await house.until(sessionId, 'idle')
    await house.sessions.send(sessionId, { content: 'and this', images: [picture, picture] }, 'ana')
    await expect.poll(() => heard.length).toBe(2)
    await house.sessions.send(sessionId, { content: 'no picture' }, 'ana')
    await expect.poll(() => heard.length).toBe(3)
    expect(heard).toEqual([
      { text: 'look', images: [picture] },
      { text: 'and this', images: [picture, picture] },
      'no picture',
    ])
  })

  it('lie in the event of the message, untouched, and not in the state', async () => {
    const house = await openTestHouse({ backend: listening().backend })
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    await house.sessions.pause(sessionId, 'ana')
    await house.sessions.send(sessionId, { content: key, images: [keyLike] }, 'ana')
    const queued = (await house.log(sessionId)).find(({ type }) => type === 'UserMessageQueued')
    expect(queued?.data).toMatchObject({ content: '[redacted]', images: [keyLike] })
    const { session } = await house.sessions.snapshot(sessionId)
    expect(session.queued).toMatchObject([{ images: { count: 1, seq: queued?.seq } }])
    expect(JSON.stringify(session)).not.toContain(keyLike.data)
  })

  it('stay with a message that is edited while it waits', async () => {
    const { backend, heard } = listening()
    const house = await openTestHouse({ backend })
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    await house.sessions.pause(sessionId, 'ana')
    const { messageId } = await house.sessions.send(sessionId, { content: 'loook', images: [picture] }, 'ana')
    await house.sessions.editMessage({ sessionId, messageId }, 'look', 'ana')
    await house.sessions.resume(sessionId, 'ana')
    await expect.poll(() => heard).toEqual([{ text: 'look', images: [picture] }])
  })

  it('are not handed into a running turn: the message waits for its end', async () => {
    const { backend, heard } = listening((input) => (input === 'wait' ? [{ type: 'stall', chunks: ['…'] }] : []))
    const house = await openTestHouse({ backend })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'wait' }, 'ana')
    await house.until(sessionId, 'running')
    const { messageId } = await sendNow(house, sessionId)
    expect((await house.sessions.snapshot(sessionId)).session.queued).toMatchObject([{ messageId }])
    await house.sessions.interrupt(sessionId, 'ana')
    await house.sessions.resume(sessionId, 'ana').catch(() => undefined)
    await expect.poll(() => heard.at(-1), { timeout: 10_000 }).toEqual({ text: 'look', images: [picture] })
  })

  it('come along when a fork asks the message again, and not with other words', async () => {
    const { backend, heard } = listening()
    const house = await openTestHouse({ backend })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'look', images: [picture] }, 'ana')
    await house.until(sessionId, 'idle')
    const at = (await house.log(sessionId)).find(({ type }) => type === 'UserMessageDelivered')?.seq
    await house.sessions.fork(sessionId, { at }, 'ana')
    await expect.poll(() => heard.length).toBe(2)
    await house.sessions.fork(sessionId, { at, message: 'other words' }, 'ana')
    await expect.poll(() => heard.length).toBe(3)
    expect(heard.slice(1)).toEqual([{ text: 'look', images: [picture] }, 'other words'])
  })

  it.each([
    ['without a message', { agent: 'tester', images: [picture] }],
    ['that are none', { agent: 'tester', message: 'x', images: [{ ...picture, data: btoa('<svg/>') }] }],
  ])('are refused %s', async (_how, body) => {
    const house = await openTestHouse({ backend: listening().backend })
    await expect(house.sessions.create(body, 'ana')).rejects.toMatchObject({ code: 'request.invalid' })
  })
})

const sendNow = (house: Awaited<ReturnType<typeof openTestHouse>>, sessionId: SessionId) =>
  house.sessions.send(sessionId, { content: 'look', delivery: 'immediate', images: [picture] }, 'ana')
