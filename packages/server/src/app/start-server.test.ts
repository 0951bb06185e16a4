import { once, setMaxListeners } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createClient, followSession } from '@quarterdeck/client'
import { openKeyRing } from '@quarterdeck/engine'
import { emptyTranscript, foldTranscript, isDurable, type SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runtimeOptions, type Script } from '../runtime/runtime.fixture.ts'
import { type RunningServer, type ServerOptions, startServer } from './start-server.ts'

const running = new Set<RunningServer>()
afterEach(async () => {
  for (const server of running) await server.close()
  running.clear()
})

async function start(script: Script = [], change: Partial<ServerOptions> = {}) {
  const runtime = change.runtime ?? (await runtimeOptions(script))
  const server = await startServer({ host: '127.0.0.1', port: 0, ...change, runtime })
  running.add(server)
  const token = (await readFile(join(runtime.dataDir, 'token'), 'utf8')).trim()
  const client = createClient({ baseUrl: server.url, token })
  const openStream = (sessionId: SessionId, after: number, signal: AbortSignal) =>
    fetch(`${server.url}/v1/sessions/${sessionId}/events`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'last-event-id': String(after) },
      signal,
    })
  return { server, token, client, runtime, openStream }
}

/** A turn with events of many kinds, long enough for many reconnects. */
const longTurn: Script = [
  [
    { type: 'thinking', text: 'Let me see.' },
    ...Array.from({ length: 12 }, (_, index) => [
      { type: 'text' as const, chunks: ['Step ', `${index}`, ' of ', 'many.'] },
      { type: 'thinking' as const, text: `thinking about ${index}` },
      { type: 'delay' as const, ms: 3 },
    ]).flat(),
    {
      type: 'subagent',
      agentType: 'explorer',
      description: 'look around',
      summary: 'seen',
      steps: [{ type: 'text', chunks: ['deep'] }],
    },
    { type: 'broken_stream', chunks: ['half a '] },
    { type: 'text', chunks: ['The ', 'end.'] },
  ],
]

const isTurnEnd = (event: StreamedEvent): boolean =>
  event.type === 'AgentSessionStatusChanged' && event.data.to === 'idle'

describe('following a session over a real connection', () => {
  it('ends with the same transcript however often the reader reconnects', async () => {
    const { client, openStream } = await start(longTurn)
    const { sessionId } = await client.createSession({ agent: 'hello' })
    const stayed = follow(client.follow(sessionId))
    const dropped = dropAfterEveryEvent((after, signal) => openStream(sessionId, after, signal))
    await client.sendMessage(sessionId, { content: 'go' })
    const [one, other] = await Promise.all([stayed, dropped])

    const durable = one.filter(isDurable)
    expect(durable.map((event) => event.seq)).toEqual(durable.map((_, index) => index + 1))
    expect(durable.length).toBeGreaterThan(30)
    expect(other.filter(isDurable)).toEqual(durable)
    expect(foldTranscript(emptyTranscript, other).items).toEqual(foldTranscript(emptyTranscript, one).items)
    expect(foldTranscript(emptyTranscript, durable).items).toEqual(foldTranscript(emptyTranscript, one).items)
  })

  it('shows text in progress to a late reader', async () => {
    const { client } = await start([[{ type: 'stall', chunks: ['half ', 'a ', 'sentence'] }]])
    const { sessionId } = await client.createSession({ agent: 'hello', message: 'go' })
    await vi.waitFor(async () => expect((await client.getSession(sessionId)).openTexts).toHaveLength(1), 20_000)
    const seen: string[] = []
    for await (const event of client.follow(sessionId)) {
      if (!isDurable(event) && 'text' in event.data) seen.push(event.data.text)
      if (seen.join('').includes('sentence')) break
    }
    expect(seen.at(-1)).toBe('half a sentence')
    await client.interrupt(sessionId)
  })

  it('leaks nothing when a thousand readers connect and disconnect', async () => {
    const { client, server, openStream } = await start()
    const { sessionId } = await client.createSession({ agent: 'hello' })
    for (let round = 0; round < 20; round += 1) {
      const leaving = new AbortController()
      setMaxListeners(0, leaving.signal)
      const responses = await Promise.all(Array.from({ length: 50 }, () => openStream(sessionId, 0, leaving.signal)))
      await Promise.all(responses.map((response) => response.body?.getReader().read()))
      leaving.abort()
    }
    await vi.waitFor(() => expect(server.runtime.engine.listenerCount()).toBe(0), 20_000)
  })

  it('retries after a rate limit', async () => {
    const { client, openStream } = await start([], { rateLimits: { requests: { perSecond: 1, burst: 4 } } })
    const { sessionId } = await client.createSession({ agent: 'hello' })
    const statuses: number[] = []
    while (!statuses.includes(429)) {
      const response = await openStream(sessionId, 0, new AbortController().signal)
      statuses.push(response.status)
      await response.body?.cancel()
    }
    for await (const event of client.follow(sessionId)) {
      expect(event.type).toBe('AgentSessionCreated')
      break
    }
  })

  it('disconnects a reader that stops reading, and lets it resume at its cursor', async () => {
    const { client, server, token } = await start(
      [Array.from({ length: 400 }, () => ({ type: 'text', chunks: ['x'.repeat(20_000)] }) as const)],
      { timing: { heartbeatMs: 10, stallMs: 50 } },
    )
    const { sessionId } = await client.createSession({ agent: 'hello', message: 'talk' })
    const socket = connect(server.port, '127.0.0.1')
    const closed = once(socket, 'close')
    const head = `GET /v1/sessions/${sessionId}/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`
    socket.write(`${head}Authorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`)
    await once(socket, 'data')
    socket.pause()
    socket.on('error', () => undefined)
    await vi.waitFor(() => expect(server.runtime.engine.listenerCount()).toBe(0), 30_000)
    socket.resume()
    await closed
    const whole = await follow(client.follow(sessionId))
    const seqs = whole.filter(isDurable).map((event) => event.seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(seqs.length).toBeGreaterThan(400)
  })

  it('ends the streams of a key that another process has revoked, and no others', async () => {
    const { client, server, openStream, runtime } = await start([], { timing: { heartbeatMs: 20 } })
    const { keys } = server.runtime.engine
    const { sessionId } = await client.createSession({ agent: 'hello' })
    const streamWith = (token: string) =>
      fetch(`${server.url}/v1/sessions/${sessionId}/events`, {
        headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      })
    const { token: ana } = await keys.createKey({ name: 'ana', owner: 'operator' }, 'operator')
    const revoked = await Promise.all([streamWith(ana), streamWith(ana)])
    const others = [
      await streamWith((await keys.createKey({ name: 'ben', owner: 'operator' }, 'operator')).token),
      await openStream(sessionId, 0, new AbortController().signal),
    ]
    const elsewhere = await openKeyRing(runtime.dataDir)
    await elsewhere.revokeKey('ana', 'operator')
    await elsewhere.close()
    for (const response of revoked) expect(await response.text()).toContain('retry: 1000')
    expect((await streamWith(ana)).status).toBe(401)
    for (const response of others) {
      const reader = response.body?.getReader()
      const decoder = new TextDecoder()
      let received = ''
      // Several heartbeats after the others have ended: this stream stays open.
      while (received.split('heartbeat').length < 5) {
        const part = await reader?.read()
        expect(part?.done).toBe(false)
        received += decoder.decode(part?.value, { stream: true })
      }
      await reader?.cancel()
    }
  })

  it('ends the stream when the server closes', async () => {
    const { client, server, openStream } = await start()
    const { sessionId } = await client.createSession({ agent: 'hello' })
    const response = await openStream(sessionId, 0, new AbortController().signal)
    const reading = response.text()
    running.delete(server)
    await server.close()
    expect(await reading).toContain('retry: 1000')
    await expect(fetch(`${server.url}/health`)).rejects.toThrow()
  })
})

describe('stopping a server', () => {
  it('reports not ready while it drains, and interrupts turns that do not end', async () => {
    const { client, server } = await start([[{ type: 'stall', chunks: ['still ', 'here'] }]])
    const { sessionId } = await client.createSession({ agent: 'hello', message: 'go' })
    await vi.waitFor(async () => expect((await client.getSession(sessionId)).session.status).toBe('running'), 20_000)
    const drained = server.drain(10)
    expect((await fetch(`${server.url}/ready`)).status).toBe(503)
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    await drained
    expect((await client.getSession(sessionId)).session.status).not.toBe('running')
  })
})

describe('starting a server', () => {
  it('refuses to expose an agent without approvals beyond this machine, and releases port and folder', async () => {
    const runtime = await runtimeOptions()
    const file = join(runtime.agentPaths[0] ?? '', 'hello', 'agent.yaml')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('permission_mode: manual', 'permission_mode: acceptAll'))
    await expect(start([], { runtime, host: '0.0.0.0' })).rejects.toThrow(/agent "hello".*acceptAll/)
    await writeFile(file, text)
    const { client } = await start([], { runtime, host: '0.0.0.0' })
    await writeFile(file, text.replace('permission_mode: manual', 'permission_mode: acceptAll'))
    await expect(client.createSession({ agent: 'hello' })).rejects.toThrow(/acceptAll/)
  })

  it('uses the next free port when the requested one is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { server } = await start([], { port })
    expect(server.port).toBeGreaterThan(port)
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    taken.close()
  })

  it('is refused for a second server on the same data folder, which releases its port', async () => {
    const { runtime, server } = await start()
    await expect(start([], { runtime })).rejects.toMatchObject({
      code: 'store.held',
      message: expect.stringContaining(server.url),
    })
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })

  it('is refused on an address that this machine does not have', async () => {
    await expect(start([], { host: '203.0.113.1' })).rejects.toMatchObject({ code: 'config.invalid' })
  })

  it('returns a link that signs a browser in once', async () => {
    const { server } = await start()
    const link = server.loginLink()
    const first = await fetch(link, { redirect: 'manual' })
    expect(first.status).toBe(303)
    const cookie = (first.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    expect((await fetch(`${server.url}/v1/server`, { headers: { cookie } })).status).toBe(200)
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(401)
  })

  it('keeps a browser signed in after a restart', async () => {
    const { server, runtime } = await start()
    const login = await fetch(server.loginLink(), { redirect: 'manual' })
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    running.delete(server)
    await server.close()
    const again = await start([], { runtime, port: server.port })
    expect((await fetch(`${again.server.url}/v1/server`, { headers: { cookie } })).status).toBe(200)
  })
})

describe('the HTTP listener', () => {
  it('refuses a rebound name and a foreign page on a real connection', async () => {
    const { server, token } = await start()
    const statusWith = async (headers: Record<string, string>) => {
      const sent = request(`${server.url}/v1/sessions`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      }).end()
      const [response] = await once(sent, 'response')
      response.resume()
      return response.statusCode
    }
    expect(await statusWith({})).toBe(200)
    expect(await statusWith({ host: `evil.example:${server.port}` })).toBe(403)
    expect(await statusWith({ origin: 'http://evil.example' })).toBe(403)
  })

  it.each([
    ['what is not HTTP', 'hello there\r\n\r\n', '400'],
    ['headers without an end', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '413'],
    ['an invalid host', 'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n', '400'],
  ])('answers %s with a problem', async (_, text, status) => {
    const { server } = await start()
    const socket = connect(server.port, '127.0.0.1')
    socket.write(text)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    await vi.waitFor(() => expect(answer).toContain('"code"'), 20_000)
    socket.destroy()
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
    expect(answer).toContain('application/problem+json')
  })

  it('logs only debug lines when a client disconnects in the middle of a body', async () => {
    const logged: { readonly level: string; readonly facts: object }[] = []
    const logAt = (level: string) => (facts: object) => void logged.push({ level, facts })
    const logger = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
    const { server, token } = await start([], { runtime: { ...(await runtimeOptions()), logger } })
    const head = [
      'POST /v1/sessions HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Expect: 100-continue', // tells when the server has taken the request
    ]
    for (const [length, part] of [
      ['Content-Length: 1000', '{"agent":'],
      ['Transfer-Encoding: chunked', '4\r\n{"ag\r\n'],
    ]) {
      const socket = connect(server.port, '127.0.0.1')
      socket.write(`${head.join('\r\n')}\r\n${length}\r\n\r\n`)
      await once(socket, 'data')
      logged.length = 0
      socket.write(part ?? '')
      socket.resetAndDestroy()
      const line = { path: '/v1/sessions', status: 400 }
      await vi.waitFor(
        () => expect(logged.map(({ facts }) => facts)).toContainEqual(expect.objectContaining(line)),
        20_000,
      )
      expect(logged.filter(({ level }) => level !== 'debug')).toEqual([])
    }
  })

  it('refuses a body that is too large while it arrives, without a content length', async () => {
    const { server, token } = await start()
    const chunk = new TextEncoder().encode('x'.repeat(64 * 1024))
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1
        if (sent > 40) controller.close()
        else controller.enqueue(chunk)
      },
    })
    // A route without images: with images a body may be larger.
    const response = await fetch(`${server.url}/v1/budgets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 'request.too-large' })
  })
})

async function follow(events: AsyncIterable<StreamedEvent>): Promise<StreamedEvent[]> {
  const all: StreamedEvent[] = []
  for await (const event of events) {
    all.push(event)
    if (isTurnEnd(event)) break
  }
  return all
}

/** The worst connection: it breaks after each event. No pauses, only the cursor. */
async function dropAfterEveryEvent(
  open: (after: number, signal: AbortSignal) => Promise<Response>,
): Promise<StreamedEvent[]> {
  const all: StreamedEvent[] = []
  for (;;) {
    const last = all.findLast(isDurable)?.seq ?? 0
    const connection = new AbortController()
    for await (const event of followSession({ open }, { after: last, signal: connection.signal })) {
      all.push(event)
      connection.abort()
      break
    }
    const latest = all.at(-1)
    if (latest !== undefined && isTurnEnd(latest)) return all
  }
}
