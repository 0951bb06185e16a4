import { type AgentStreamToken, isDurable, SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRedactor } from '../../redaction/redact.ts'
import { createInProcessBus } from '../../system/in-process-bus.ts'
import { openTestStore } from '../../testing/test-store.fixture.ts'
import { createOpenTextWriter } from './open-text-writer.ts'
import { createTokenStream } from './token-stream.ts'

const sessionId = SessionId.parse('ses_tokenstream')

/** Only a pause or a flush can end a window this long within a test. */
const endless = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

async function openStream(windowMs: number, savingMs = 0) {
  const bus = createInProcessBus()
  const shown: StreamedEvent[] = []
  bus.subscribe(sessionId, (events) => shown.push(...(events ?? [])))
  const store = await openTestStore()
  // Writes nothing: a real write would not end within a step of the fake clock.
  const slow: typeof store = {
    ...store,
    saveOpenText: () => new Promise((resolve) => setTimeout(resolve, savingMs)),
    addToOpenTexts: async () => undefined,
  }
  const used = savingMs === 0 ? store : slow
  const openTextWriter = createOpenTextWriter({ store: used, bus, windowMs })
  const stream = createTokenStream({ sessionId, store: used, openTextWriter, redactor: createRedactor([]) })
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
  it('shows the first token after a pause at once', async () => {
    const { stream, texts } = await openStream(endless)
    stream.push(token('one '))
    await expect.poll(texts).toEqual(['one '])
  })

  it('shows tokens at once that arrive no faster than the window', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { stream, texts } = await openStream(200, 1)
    stream.push(token('one '))
    await vi.advanceTimersByTimeAsync(1)
    expect(texts()).toEqual(['one '])
    await vi.advanceTimersByTimeAsync(200)
    stream.push(token('two '))
    await vi.advanceTimersByTimeAsync(1)
    expect(texts()).toEqual(['one ', 'two '])
  })

  it('merges faster tokens and loses none', async () => {
    const { stream, texts } = await openStream(endless)
    stream.push(token('one '))
    await expect.poll(texts).toEqual(['one '])
    stream.push(token('two '))
    stream.push(token('three '))
    await stream.flush()
    expect(texts()).toEqual(['one ', 'two three '])
  })

  it('merges more when saving is slow', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { stream, texts } = await openStream(25, 100)
    stream.push(token('one '))
    await vi.advanceTimersByTimeAsync(100)
    expect(texts()).toEqual(['one '])
    stream.push(token('two '))
    await vi.advanceTimersByTimeAsync(50)
    stream.push(token('three '))
    await vi.advanceTimersByTimeAsync(500)
    expect(texts()).toEqual(['one ', 'two three '])
  })

  it('saves everything before it is shown', async () => {
    const { stream, store, texts } = await openStream(endless)
    stream.push(token('one '))
    await expect.poll(texts).toEqual(['one '])
    expect((await store.openTexts(sessionId))[0]?.data.text).toBe('one ')
  })
})

describe('the open text writer', () => {
  const other = SessionId.parse('ses_another')

  async function openTwo() {
    const bus = createInProcessBus()
    const shown: StreamedEvent[] = []
    for (const id of [sessionId, other]) bus.subscribe(id, (events) => shown.push(...(events ?? [])))
    const store = await openTestStore()
    const writes: string[] = []
    let isBroken = false
    const write = (what: string) => {
      if (isBroken) throw new Error('the disk is full')
      writes.push(what)
    }
    let saved = Promise.resolve()
    const watched: typeof store = {
      ...store,
      async saveOpenText(id, text) {
        write('whole')
        await saved
        await store.saveOpenText(id, text)
      },
      async addToOpenTexts(pieces) {
        write(`${pieces.length} pieces`)
        await store.addToOpenTexts(pieces)
      },
    }
    const openTextWriter = createOpenTextWriter({ store: watched, bus, windowMs: endless })
    const redactor = createRedactor(['open sesame'])
    const [first, second] = [sessionId, other].map((id) =>
      createTokenStream({ sessionId: id, store: watched, openTextWriter, redactor }),
    )
    if (first === undefined || second === undefined) throw new Error('there are two')
    const setBroken = (value: boolean) => {
      isBroken = value
    }
    /** Whole saves wait until the returned function is called. */
    const hold = () => {
      let release: () => void = () => undefined
      saved = new Promise((resolve) => (release = resolve))
      return release
    }
    const textOf = async (id: SessionId) => (await store.openTexts(id))[0]?.data.text
    return { first, second, store, shown, writes, setBroken, hold, textOf }
  }

  type Two = Awaited<ReturnType<typeof openTwo>>

  it('saves the pieces of several sessions in one write, and only new ones', async () => {
    const { first, second, writes, textOf } = await openTwo()
    first.push(token('one '))
    second.push(token('eins '))
    await first.flush()
    first.push(token('two '))
    second.push(token('zwei '))
    await second.flush()
    expect(writes).toEqual(['whole', 'whole', '2 pieces'])
    expect([await textOf(sessionId), await textOf(other)]).toEqual(['one two ', 'eins zwei '])
    expect(first.openTexts()[0]?.data.text).toBe('one two ')
  })

  it('sends and saves a text again when its pieces turn out to be a secret', async () => {
    const { first, shown, writes, textOf } = await openTwo()
    for (const piece of ['say open ', 'sesame', ' now']) {
      first.push(token(piece))
      await first.flush()
    }
    expect(shown.map(({ type, data }) => [type, 'text' in data && data.text])).toEqual([
      ['AgentStreamToken', 'say open '],
      ['AgentStreamSnapshot', 'say [redacted]'],
      ['AgentStreamToken', ' now'],
    ])
    expect(writes).toEqual(['whole', 'whole', '1 pieces'])
    expect(await textOf(sessionId)).toBe('say [redacted] now')
  })

  it('reports a failed save to each session, shows nothing of it, and then everything at once', async () => {
    const { first, second, shown, setBroken, textOf } = await openTwo()
    first.push(token('one '))
    await first.flush()
    setBroken(true)
    first.push(token('two '))
    second.push(token('eins '))
    await expect(first.flush()).rejects.toThrow('the disk is full')
    await expect(second.flush()).rejects.toThrow('the disk is full')
    expect(shown).toHaveLength(1)
    setBroken(false)
    first.push(token('three'))
    second.push(token('zwei'))
    await Promise.all([first.flush(), second.flush()])
    expect(shown.slice(1)).toMatchObject([
      { type: 'AgentStreamSnapshot', data: { text: 'one two three' } },
      { type: 'AgentStreamSnapshot', data: { text: 'eins zwei' } },
    ])
    expect([await textOf(sessionId), await textOf(other)]).toEqual(['one two three', 'eins zwei'])
  })

  it('saves every open text whole from time to time, even one without new pieces', async () => {
    const { first, second, writes } = await openTwo()
    second.push(token('quiet'))
    await second.flush()
    for (let round = 0; round < 600; round += 1) {
      first.push(token('.'))
      await first.flush()
    }
    const wholes = writes.filter((what) => what === 'whole').length
    expect(wholes).toBeGreaterThanOrEqual(5)
    expect(wholes).toBeLessThan(12)
    expect(first.openTexts()[0]?.data.text).toBe('.'.repeat(600))
  })

  it('saves nothing after the event that replaces a text', async () => {
    const { first, second, store, writes, hold } = await openTwo()
    second.push(token('quiet'))
    await second.flush()
    const release = await roundThatSavesQuietTexts({ first, writes, hold })
    let isSettled = false
    const settled = second.settle([{ messageId: 'm1', kind: 'text' }]).then(() => (isSettled = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isSettled).toBe(false)
    release()
    await settled
    await store.dropOpenText(other, 'm1', 'text') // as the append of its event does
    second.close({ messageId: 'm1', kind: 'text' })
    for (let round = 0; round < 600; round += 1) {
      first.push(token('.'))
      await first.flush()
    }
    expect(await store.openTexts(other)).toEqual([])
  })

  /** Resolves in the middle of it, with a function that lets it continue. */
  async function roundThatSavesQuietTexts({ first, writes, hold }: Pick<Two, 'first' | 'writes' | 'hold'>) {
    for (;;) {
      const before = writes.length
      const release = hold()
      first.push(token('.'))
      const flushed = first.flush()
      await new Promise((resolve) => setImmediate(resolve))
      const now = writes.slice(before)
      if (now.length > 1 && now.includes('whole')) return release
      release()
      await flushed
    }
  }
})
