import { formatUnsavedMessages, type SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend, TurnInput } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { TestRuntime } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const beginning = btoa('\u0089PNG\r\n\u001a\n 123')
const picture = { mediaType: 'image/png', data: `${beginning}abcd` } as const
const otherPicture = { mediaType: 'image/png', data: `${beginning}efgh` } as const
/** Base64 that looks like a key to the redactor. */
const key = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('')
const keyLike = { mediaType: 'image/png', data: `${beginning}${key}` } as const

/** A scripted backend that records its inputs. */
function listening(script: Parameters<typeof createScriptedBackend>[0]['script'] = []) {
  const received: TurnInput[] = []
  const scripted = createScriptedBackend({ script })
  const backend: AgentBackend = {
    ...scripted,
    async createSession(options) {
      const session = await scripted.createSession(options)
      return {
        ...session,
        run(input, signal, messageId) {
          received.push(input)
          return session.run(input, signal, messageId)
        },
      }
    },
  }
  return { backend, received }
}

describe('images of a message', () => {
  it('reach the agent with their text, in the first message and in later ones', async () => {
    const { backend, received } = listening()
    const runtime = await openTestRuntime({ backend })
    const { sessionId } = await runtime.sessions.createSession(
      { agent: 'tester', message: 'look', images: [picture] },
      'ana',
    )
    await runtime.until(sessionId, 'idle')
    await runtime.sessions.sendMessage(sessionId, { content: 'and this', images: [picture, picture] }, 'ana')
    await expect.poll(() => received.length).toBe(2)
    await runtime.sessions.sendMessage(sessionId, { content: 'no picture' }, 'ana')
    await expect.poll(() => received.length).toBe(3)
    expect(received).toEqual([
      { text: 'look', images: [picture] },
      { text: 'and this', images: [picture, picture] },
      'no picture',
    ])
  })

  it('reach the agent with an unsaved message, before those of the new one', async () => {
    const first = listening([[{ type: 'stall', chunks: ['I was say'] }]])
    const runtime = await openTestRuntime({ backend: first.backend })
    const { sessionId } = await runtime.sessions.createSession(
      { agent: 'tester', message: 'look', images: [picture] },
      'ana',
    )
    await expect.poll(() => runtime.store.openTexts(sessionId)).toHaveLength(1)
    const { backend, received } = listening()
    const next = await openTestRuntime({ backend, store: runtime.store })
    await next.recover()
    await next.sessions.sendMessage(sessionId, { content: 'and this', images: [otherPicture] }, 'ana')
    await next.until(sessionId, 'idle')
    expect(received).toEqual([{ text: formatUnsavedMessages(['look'], 'and this'), images: [picture, otherPicture] }])
    await next.sessions.sendMessage(sessionId, { content: 'no picture' }, 'ana')
    await expect.poll(() => received).toHaveLength(2)
    expect(received[1]).toBe('no picture')
  })

  it('are in the event of the message, unchanged, and not in the state', async () => {
    const runtime = await openTestRuntime({ backend: listening().backend })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await runtime.sessions.pause(sessionId, 'ana')
    await runtime.sessions.sendMessage(sessionId, { content: key, images: [keyLike] }, 'ana')
    const queued = (await runtime.log(sessionId)).find(({ type }) => type === 'UserMessageQueued')
    expect(queued?.data).toMatchObject({ content: '[redacted]', images: [keyLike] })
    const { session } = await runtime.sessions.getSession(sessionId)
    expect(session.queued).toMatchObject([{ images: { count: 1, seq: queued?.seq } }])
    expect(JSON.stringify(session)).not.toContain(keyLike.data)
  })

  it('stay with a message that is edited while it is queued', async () => {
    const { backend, received } = listening()
    const runtime = await openTestRuntime({ backend })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await runtime.sessions.pause(sessionId, 'ana')
    const { messageId } = await runtime.sessions.sendMessage(sessionId, { content: 'loook', images: [picture] }, 'ana')
    await runtime.sessions.editMessage(sessionId, messageId, { content: 'look' }, 'ana')
    await runtime.sessions.resume(sessionId, 'ana')
    await expect.poll(() => received).toEqual([{ text: 'look', images: [picture] }])
  })

  it('are not handed into a running turn: the message waits for its end', async () => {
    const { backend, received } = listening((input) => (input === 'wait' ? [{ type: 'stall', chunks: ['…'] }] : []))
    const runtime = await openTestRuntime({ backend })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'wait' }, 'ana')
    await runtime.until(sessionId, 'running')
    const { messageId } = await sendNow(runtime, sessionId)
    expect((await runtime.sessions.getSession(sessionId)).session.queued).toMatchObject([{ messageId }])
    await runtime.sessions.interrupt(sessionId, 'ana')
    await runtime.sessions.resume(sessionId, 'ana').catch(() => undefined)
    await expect.poll(() => received.at(-1), { timeout: 10_000 }).toEqual({ text: 'look', images: [picture] })
  })

  it('are copied when a fork repeats the message, but not with another text', async () => {
    const { backend, received } = listening()
    const runtime = await openTestRuntime({ backend })
    const { sessionId } = await runtime.sessions.createSession(
      { agent: 'tester', message: 'look', images: [picture] },
      'ana',
    )
    await runtime.until(sessionId, 'idle')
    const at = (await runtime.log(sessionId)).find(({ type }) => type === 'UserMessageDelivered')?.seq
    await runtime.sessions.fork(sessionId, { at }, 'ana')
    await expect.poll(() => received.length).toBe(2)
    await runtime.sessions.fork(sessionId, { at, message: 'other words' }, 'ana')
    await expect.poll(() => received.length).toBe(3)
    expect(received.slice(1)).toEqual([{ text: 'look', images: [picture] }, 'other words'])
  })

  it.each([
    ['without a message', { agent: 'tester', images: [picture] }],
    ['that are none', { agent: 'tester', message: 'x', images: [{ ...picture, data: btoa('<svg/>') }] }],
  ])('are refused %s', async (_how, body) => {
    const runtime = await openTestRuntime({ backend: listening().backend })
    await expect(runtime.sessions.createSession(body, 'ana')).rejects.toMatchObject({ code: 'request.invalid' })
  })
})

const sendNow = (runtime: TestRuntime, sessionId: SessionId) =>
  runtime.sessions.sendMessage(sessionId, { content: 'look', delivery: 'immediate', images: [picture] }, 'ana')
