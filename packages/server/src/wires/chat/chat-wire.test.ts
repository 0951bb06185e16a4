import type { SessionId } from '@quarterdeck/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openChat, sessionIn, textOf } from './chat-client.fixture.ts'
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

describe('the chat socket', () => {
  it('greets with the model and the session', async () => {
    const { connected, sessionId } = await begin()
    expect(connected).toEqual({
      type: 'connected',
      content: 'Connected to hello. Ask me anything!',
      completed: false,
      metadata: {
        model: { model: 'claude-sonnet-4-5-20250929', model_display: 'Claude Sonnet 4.5', is_automatic: false },
        session_id: sessionId,
      },
    })
  })

  it('shows "automatic" if the agent lets the rules choose the model', async () => {
    const { connected } = await begin('?agent=other')
    expect(connected?.metadata?.model).toEqual({
      model: 'automatic',
      model_display: 'Claude (Automatic Selection)',
      is_automatic: true,
    })
  })

  it('streams text in pieces without repetition, with tools, their results and thinking, all four keys in every chunk', async () => {
    const { chat, sessionId } = await begin('?agent=other')
    chat.send({ message: 'tools' })
    const turn = await chat.completed()
    expect(textOf(turn)).toBe('Looking. lostThere are 24.')
    expect(turn.filter(({ type }) => type === 'text').length).toBeGreaterThan(3)
    expect(turn.filter(({ type }) => type === 'thinking')).toMatchObject([{ content: 'Let me see.' }])
    expect(turn.find(({ type }) => type === 'tool_use')).toEqual({
      type: 'tool_use',
      content: 'Using tool: Bash',
      completed: false,
      metadata: { id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
    })
    const result = turn.find(({ type }) => type === 'tool_result')
    expect(result).toMatchObject({ metadata: { id: 'toolu_1', name: 'Bash', is_error: false, is_cut: true } })
    expect(result?.content).toHaveLength(501)
    expect(turn.find(({ type }) => type === 'text_discarded')).toMatchObject({ content: 'lost' })
    expect(turn.at(-1)).toMatchObject({
      type: 'text',
      content: '',
      completed: true,
      metadata: {
        session_id: sessionId,
        outcome: 'completed',
        model: { model: 'automatic', is_automatic: true },
        model_used: { model_display: expect.stringMatching(/^Claude \w+ 4/) },
        usage: { input_tokens: 100, output_tokens: 10 },
        cost_usd: null,
      },
    })
    for (const chunk of turn) {
      expect(Object.keys(chunk).sort()).toEqual(['completed', 'content', 'metadata', 'type'])
    }
  })

  it('answers messages in order when they arrive faster', async () => {
    const { chat } = await begin()
    for (const message of ['one', 'two', 'three']) chat.send({ message, type: 'message' })
    for (const message of ['one', 'two', 'three']) expect(textOf(await chat.completed())).toBe(`You said ${message}`)
  })

  it('starts a new session on reset and closes the old one', async () => {
    const { chat, sessionId } = await begin()
    chat.send({ message: 'hi' })
    await chat.completed()
    chat.send({ type: 'reset' })
    const [reset] = await chat.completed()
    expect(reset).toMatchObject({
      type: 'reset_complete',
      content: 'Conversation context has been reset. Starting fresh!',
      completed: true,
    })
    expect(sessionIn(reset)).not.toBe(sessionId)
    expect(await statusOf(sessionId)).toBe('completed')
    chat.send({ message: 'memory' })
    expect(textOf(await chat.completed())).toBe('I know 0 earlier')
  })

  it('stops the running turn on reset, and sends nothing more of it', async () => {
    const { chat, sessionId } = await begin()
    chat.send({ message: 'stall' })
    await chat.until(({ content }) => content.includes('a '))
    chat.send({ type: 'reset' })
    const received = await chat.completed()
    expect(received.map(({ type }) => type)).toEqual(['reset_complete'])
    await expect.poll(() => statusOf(sessionId), { timeout: 30_000 }).toBe('cancelled')
    chat.send({ message: 'after' })
    expect(
      (await chat.completed())
        .filter(({ type }) => type === 'text')
        .map(({ content }) => content)
        .join(''),
    ).toBe('You said after')
  })

  it.each([
    ['claude-haiku-4-5-20250925', 'claude-haiku-4-5-20250925', 'Claude Haiku 4.5'],
    ['claude-haiku-4-5', 'claude-haiku-4-5-20250925', 'Claude Haiku 4.5'],
    ['claude-opus-4-20250514', 'claude-opus-4-20250514', 'Claude Opus 4'],
    ['claude-opus-4-6', 'claude-opus-4-6', 'Claude Opus 4.6'],
    ['auto', 'automatic', 'Claude (Automatic Selection)'],
  ])('switches to %s with a new session', async (asked, model, shown) => {
    const { chat, sessionId } = await begin()
    chat.send({ message: 'hi' })
    await chat.completed()
    chat.send({ type: 'model_change', model: asked })
    const changed = await chat.next('model_changed')
    expect(changed).toEqual({
      type: 'model_changed',
      content: `Switched to ${shown}. Context has been reset.`,
      completed: false,
      metadata: {
        model: { model, model_display: shown, is_automatic: asked === 'auto' },
        session_id: expect.stringMatching(/^ses_/),
      },
    })
    expect(await statusOf(sessionId)).toBe('completed')
    chat.send({ message: 'memory' })
    expect(textOf(await chat.completed())).toBe('I know 0 earlier')
    chat.send({ type: 'reset' })
    const reset = await chat.next('reset_complete')
    expect(reset?.metadata?.model).toEqual(changed?.metadata?.model)
  })

  it.each(['high', 'gpt-5', '', 7, null, undefined])('refuses the model %j and keeps the old one', async (model) => {
    const { chat } = await begin()
    chat.send({ message: 'hi' })
    await chat.completed()
    chat.send({ type: 'model_change', model })
    const [refusal] = await chat.completed()
    expect(refusal).toMatchObject({ type: 'error', content: expect.stringMatching(/^Failed to switch model: ./) })
    chat.send({ message: 'memory' })
    expect(textOf(await chat.completed())).toBe('I know 1 earlier')
  })

  it.each([
    ['', 'Invalid JSON format. Expected: {"message": "your message"}'],
    ['{"message": "half', 'Invalid JSON format. Expected: {"message": "your message"}'],
    ['null', 'Invalid JSON format. Expected: {"message": "your message"}'],
    ['[{"message":"hi"}]', 'Invalid JSON format. Expected: {"message": "your message"}'],
    ['"hi"', 'Invalid JSON format. Expected: {"message": "your message"}'],
    ['{"message": 7}', 'Invalid JSON format. Expected: {"message": "your message"}'],
    ['{}', 'Empty message received'],
    ['{"message": "  "}', 'Empty message received'],
    ['{"message": "\\u0000 \\u200b\\u0007"}', 'Empty message received'],
    ['{"type": "ping"}', 'Empty message received'],
    [JSON.stringify({ message: 'x'.repeat(200_001) }), 'Error processing message: it is longer than 200000 characters'],
    ['{"type": "interrupt"}', expect.stringMatching(/^Error: ./)],
    ['{"type": "approval", "id": "apr_unknown1", "decision": "allow"}', expect.stringMatching(/^Error: there is no/)],
    ['{"type": "approval", "id": 7}', expect.stringMatching(/^Error: an approval is/)],
    ['{"type": "answer", "id": "qst_unknown1", "answers": []}', expect.stringMatching(/^Error: an answer is/)],
    [`{"message": "${'y'.repeat(1024 * 1024)}"}`, expect.stringMatching(/^Error: a frame of \d+ bytes is too large/)],
  ])('answers invalid frame %# with an error and continues', async (frame, content) => {
    const { chat } = await begin()
    chat.send(frame)
    expect(await chat.completed()).toEqual([{ type: 'error', content, completed: true, metadata: null }])
    chat.send({ message: 'still' })
    expect(textOf(await chat.completed())).toBe('You said still')
  })

  it('answers binary frames the same way', async () => {
    const { chat } = await begin()
    chat.socket.send(Buffer.from('{"message":"hi"}'), { binary: true })
    expect(await chat.completed()).toMatchObject([{ type: 'error', content: expect.stringMatching(/^Invalid JSON/) }])
  })

  it('reports a failed message, and answers the next one', async () => {
    const { chat } = await begin()
    chat.send({ message: 'fail' })
    expect((await chat.completed()).at(-1)).toMatchObject({
      type: 'error',
      content: 'Error processing message: the provider is down',
      completed: true,
      metadata: { outcome: 'failed' },
    })
    chat.send({ message: 'again' })
    expect(textOf(await chat.completed())).toBe('You said again')
  })

  it('answers every message after the budget is used up', async () => {
    const { chat } = await begin()
    chat.send({ message: 'broke' })
    expect((await chat.completed()).at(-1)).toMatchObject({ type: 'error', metadata: { outcome: 'budget_limit' } })
    chat.send({ message: 'more' })
    expect((await chat.completed()).at(-1)).toMatchObject({
      type: 'error',
      content: expect.stringMatching(/^Error processing message: /),
    })
  })

  it('interrupts the running turn', async () => {
    const { chat } = await begin()
    chat.send({ message: 'stall' })
    await chat.until(({ content }) => content.includes('a '))
    chat.send({ type: 'interrupt' })
    expect((await chat.completed()).at(-1)).toMatchObject({
      type: 'text',
      content: '',
      completed: true,
      metadata: { outcome: 'interrupted' },
    })
  })

  it('requests an approval with its own chunk type and accepts the decision', async () => {
    const { chat } = await begin()
    chat.send({ message: 'ask' })
    const asked = await chat.next('approval_request')
    expect(asked).toMatchObject({
      content: 'Approval needed: Bash',
      completed: false,
      metadata: { id: expect.stringMatching(/^apr_/), name: 'Bash', input: { command: 'date' } },
    })
    chat.send({ type: 'approval', id: asked?.metadata?.id, decision: 'allow' })
    const rest = await chat.completed()
    expect(rest.find(({ type }) => type === 'approval_settled')).toMatchObject({ metadata: { decision: 'allow' } })
    expect(rest.find(({ type }) => type === 'tool_result')).toMatchObject({ content: 'today' })
    expect(textOf(rest)).toBe('Asked.')
  })
})

describe('a connection', () => {
  it('needs a key, an existing agent, and its name if there are several', async () => {
    await expect(openChat(chatServer.url)).rejects.toThrow('refused with 401')
    await expect(connect('?agent=nobody')).rejects.toThrow('refused with 404')
    await expect(connect('')).rejects.toThrow('refused with 404')
  })

  it('is refused with a hint when it is not a WebSocket', async () => {
    const response = await fetch(`${chatServer.url}?agent=hello`, {
      headers: { authorization: `Bearer ${chatServer.token}` },
    })
    expect(response.status).toBe(426)
  })
})

describe('GET /models', () => {
  const list = async (path: string) =>
    (await (
      await fetch(new URL(path, chatServer.url), { headers: { authorization: `Bearer ${chatServer.token}` } })
    ).json()) as { id: string; name: string }[] // as the wire defines it

  it('lists automatic selection first, then the catalog, with the names of the original server', async () => {
    const models = await list('/models')
    expect(models[0]).toEqual({
      id: 'auto',
      name: 'Claude (Automatic Selection)',
      provider: 'anthropic',
      available: true,
    })
    expect(models).toEqual(
      expect.arrayContaining([
        { id: 'claude-sonnet-4-5-20250929', name: 'Claude Sonnet 4.5', provider: 'anthropic', available: true },
        expect.objectContaining({ id: 'claude-opus-4-20250514', name: 'Claude Opus 4', available: true }),
        { id: 'claude-haiku-4-5-20250925', name: 'Claude Haiku 4.5', provider: 'anthropic', available: true },
        expect.objectContaining({ id: 'claude-opus-4-6', name: 'Claude Opus 4.6' }),
      ]),
    )
    expect(new Set(models.map(({ name }) => name)).size).toBe(models.length)
    expect(await list('/api/models?agent=hello')).toEqual(models)
  })
})
