// Providers with unexpected responses, through the official client of either wire.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { ModelWire, WireRequest } from './model-wire.ts'
import { openWire } from './open-wire.ts'
import { WireFailure } from './wire-failure.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function listen(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().once('end', () => answer(incoming, outgoing))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

const request: WireRequest = {
  model: 'm',
  system: '',
  tools: [],
  maxTokens: null,
  temperature: null,
  topP: null,
  thinking: null,
  effort: null,
  responseFormat: null,
  entries: [{ type: 'prompt', messageId: null, text: 'hi', images: [] }],
}

type Wire = 'openai' | 'azure_openai' | 'anthropic'
const wires: readonly Wire[] = ['openai', 'azure_openai', 'anthropic']

const requests = { admit: () => Promise.reject(new Error('nobody asks')) }

const wireAt = (wire: Wire, baseUrl: string): ModelWire =>
  openWire({
    type: 'in-process',
    wire,
    provider: wire,
    baseUrl,
    requests,
    apiKey: 'made-up',
    keyHeader: 'x-api-key',
    apiVersion: null,
  })

async function failureOf(wire: ModelWire): Promise<WireFailure> {
  const listener = {
    signal: new AbortController().signal,
    alive: () => {},
    begun: () => {},
    streamed: () => null,
    wrote: () => {},
  }
  const failure = await wire.ask(request, listener).catch((error: unknown) => error)
  if (!(failure instanceof WireFailure)) throw new Error('there was an answer')
  return failure
}

const streaming = { 'content-type': 'text/event-stream' }

describe.each(wires)('a provider on the %s wire', (wire) => {
  it.each([301, 302, 307, 308])(
    'that redirects with %i is not followed: it receives neither key nor text',
    async (status) => {
      let visits = 0
      const elsewhere = await listen((_, outgoing) => {
        visits += 1
        outgoing.writeHead(200, streaming).end()
      })
      const url = await listen((_, outgoing) => void outgoing.writeHead(status, { location: `${elsewhere}/v1` }).end())
      const { message, facts } = await failureOf(wireAt(wire, url))
      expect(message).toBe(
        `the provider redirects to ${new URL(elsewhere).host}: set model.endpoint to the final address`,
      )
      expect(facts.isRetryable).toBe(false)
      expect(visits).toBe(0)
    },
  )

  const page = { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<h1>Welcome</h1>' }
  const json = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"choices":[]}' }
  const empty = { status: 200, headers: { 'content-length': '0' }, body: '' }
  const none = { status: 204, headers: {}, body: '' }

  it.each([
    ['text/html, not a stream', page],
    ['application/json, not a stream', json],
    ['200 with nothing', empty],
    ['204 with nothing', none],
  ])('that answered %s is distinguished from one that breaks off', async (words, { status, headers, body }) => {
    const url = await listen((_, outgoing) => void outgoing.writeHead(status, headers).end(body))
    const { message, facts } = await failureOf(wireAt(wire, url))
    expect(message).toContain(`answered ${words}`)
    expect(message).toContain('check model.endpoint')
    expect(facts.isRetryable).toBe(false)
  })

  it.each(['x', 'data: x\n'])('that never ends an event (%j) is disconnected', async (piece) => {
    let sent = 0
    const chunk = piece.repeat(1024 * 1024)
    const url = await listen((_, outgoing) => {
      outgoing.writeHead(200, streaming)
      const more = () => {
        if (outgoing.destroyed || sent >= 300) return
        sent += 1
        if (outgoing.write(chunk)) setImmediate(more)
        else outgoing.once('drain', more)
      }
      more()
    })
    const { message, facts } = await failureOf(wireAt(wire, url))
    expect(message).toBe('the provider sent more than 2 MiB at once')
    expect(facts.isRetryable).toBe(false)
    expect(sent).toBeLessThan(100)
  })

  it('that sends a long error or control characters is quoted in a sanitized message', async () => {
    const message = `no\u0000 \u001b[31m${'x'.repeat(100_000)}`
    const url = await listen((_, outgoing) => {
      outgoing.writeHead(400, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }))
    })
    const failure = await failureOf(wireAt(wire, url))
    expect(failure.message).toMatch(/^the provider answered 400: no +\[31mx+…$/)
    expect(failure.message.length).toBeLessThan(2100)
  })

  it('that sends an endless error page is not read to the end', async () => {
    const url = await listen((_, outgoing) => {
      outgoing.writeHead(400)
      const more = () => void (outgoing.destroyed || outgoing.write('x'.repeat(64 * 1024), more))
      more()
    })
    expect((await failureOf(wireAt(wire, url))).facts.status).toBe(400)
  })
})

describe('an error in the middle of a stream', () => {
  const say = async (wire: Wire, text: string) => {
    const url = await listen((_, outgoing) => void outgoing.writeHead(200, streaming).end(text))
    return failureOf(wireAt(wire, url))
  }

  it.each([
    ['{"error":{"code":503,"message":"busy"}}', 503, true],
    ['{"error":{"code":"429","message":"slow down"}}', 429, true],
    ['{"error":{"type":"server_error","message":"oh"}}', 500, true],
    ['{"error":{"code":400,"message":"no"}}', 400, false],
    ['{"error":"out of memory"}', null, true],
  ])('of OpenAI, %s, is treated like the HTTP status %s', async (data, status, isRetryable) => {
    expect((await say('openai', `data: ${data}\n\n`)).facts).toMatchObject({ status, isRetryable })
  })

  it.each([
    ['overloaded_error', 529, true],
    ['rate_limit_error', 429, true],
    ['api_error', 500, true],
    ['invalid_request_error', null, false],
  ])('of Anthropic, %s, is treated like the HTTP status %s', async (type, status, isRetryable) => {
    const data = JSON.stringify({ type: 'error', error: { type, message: 'because' } })
    expect((await say('anthropic', `event: error\ndata: ${data}\n\n`)).facts).toMatchObject({ status, isRetryable })
  })

  it.each([
    ['openai', 'data: null\n\n'],
    ['openai', 'data: {"choices":[{"delta":{"content":{"a":1}}}]}\n\n'],
    ['openai', 'data: {"choices":[{"delta":{"tool_calls":[null]}}]}\n\n'],
    ['anthropic', 'event: message_start\ndata: null\n\n'],
    ['anthropic', 'event: message_start\ndata: {"type":"message_start"}\n\n'],
  ] as const)('that does not match the API is reported with a message and not retried: %s %j', async (wire, text) => {
    const { message, facts } = await say(wire, text)
    expect(message).toMatch(/^the provider sent .*: check that model\.endpoint speaks/)
    expect(facts.isRetryable).toBe(false)
  })
})
