import { type AgentStreamToken, isDurable, SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBus } from '../bus.ts'
import { randomIds } from '../random-ids.ts'
import { createRedactor } from '../redaction/redact.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { createTextDesk } from './text-desk.ts'
import { createTokenStream } from './token-stream.ts'

const sessionId = SessionId.parse('ses_tokenstream')

/** Nothing but a pause or a flush can end so long a window within a test. */
const endless = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

function openStream(windowMs: number, savingMs = 0) {
  const bus = createBus()
  const shown: StreamedEvent[] = []
  bus.subscribe(sessionId, (events) => shown.push(...events))
  const store = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
  const slow: typeof store = {
    ...store,
    async saveOpenText(id, text) {
      await new Promise((resolve) => setTimeout(resolve, savingMs))
      await store.saveOpenText(id, text)
    },
  }
  const used = savingMs === 0 ? store : slow
  const desk = createTextDesk({ store: used, bus, windowMs })
  const stream = createTokenStream({ sessionId, store: used, desk, redactor: createRedactor([]) })
  return {
    stream,
    store,
    texts: () => shown.map((event) => (!isDurable(event) && 'text' in event.data ? event.data.text : '')),
  }
}

const token = (text: string): AgentStreamToken => ({
  type: 'AgentStreamToken',
  agent: null,
  data: { text, messageId: 'm1', kind: 'text' },
})

describe('the token stream', () => {
  it('shows the first token after a pause without waiting for the window', async () => {
    const { stream, texts } = openStream(endless)
    stream.push(token('one '))
    await expect.poll(texts).toEqual(['one '])
  })

  it('shows at once what comes no faster than the window', async () => {
    const { stream, texts } = openStream(200)
    stream.push(token('one '))
    await expect.poll(texts).toEqual(['one '])
    await new Promise((resolve) => setTimeout(resolve, 250))
    stream.push(token('two '))
    await new Promise((resolve) => setTimeout(resolve, 50)) // timers fire in their order, however slow the machine is
    expect(texts()).toEqual(['one ', 'two '])
  })

  it('merges what follows, and loses none of it', async () => {
    const { stream, texts } = openStream(endless)
    stream.push(token('one '))
    await expect.poll(texts).toEqual(['one '])
    stream.push(token('two '))
    stream.push(token('three '))
    await stream.flush()
    expect(texts()).toEqual(['one ', 'two three '])
  })

  it('merges more on a machine that is behind with its saves', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { stream, texts } = openStream(25, 100)
    stream.push(token('one '))
    await vi.advanceTimersByTimeAsync(100)
    expect(texts()).toEqual(['one '])
    stream.push(token('two '))
    await vi.advanceTimersByTimeAsync(50)
    stream.push(token('three '))
    await vi.advanceTimersByTimeAsync(500)
    expect(texts()).toEqual(['one ', 'two three '])
  })

  it('has saved what it shows', async () => {
    const { stream, store, texts } = openStream(endless)
    stream.push(token('one '))
    await expect.poll(texts).toEqual(['one '])
    expect((await store.openTexts(sessionId))[0]?.data.text).toBe('one ')
  })
})
