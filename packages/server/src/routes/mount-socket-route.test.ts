import { once } from 'node:events'
import { request } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { emptyTranscript, foldTranscript, isDurable, type SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { openClient, openRawClient, rawFrame } from '../transports/socket.fixture.ts'
import { droppingSocket, startSocketServer, weather } from './socket.fixture.ts'

type Served = Awaited<ReturnType<typeof startSocketServer>>
const patience = { timeout: 60_000 }
const atOnce = { next: () => 0, reset: () => undefined }

const listed = 'https://desk.example'

let served: Served
beforeAll(async () => {
  served = await startSocketServer({
    allowedOrigins: [listed],
    timing: { heartbeatMs: 50, stallMs: 1000 },
    rateLimits: { requests: { perSecond: 10_000, burst: 100_000 } },
  })
})
afterAll(() => served.close())

const address = () => `${served.url.replace('http', 'ws')}/v1/ws`
const isIdle = (event: StreamedEvent) => event.type === 'AgentSessionStatusChanged' && event.data.to === 'idle'

async function follow(events: AsyncIterable<StreamedEvent>, isEnd: (event: StreamedEvent) => boolean = isIdle) {
  const seen: StreamedEvent[] = []
  for await (const event of events) {
    seen.push(event)
    if (isEnd(event)) break
  }
  return seen
}

/** A session with a complete turn. */
async function talked(message: string): Promise<SessionId> {
  const { sessionId } = await served.client.createSession({ agent: 'hello', message })
  await follow(served.client.follow(sessionId))
  return sessionId
}

const rpc = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params })

describe('the native socket', () => {
  it('follows many sessions at once, with the same events as the stream over HTTP', async () => {
    const { ws, received } = await openClient(address(), { token: served.token, protocols: ['quarterdeck.v1'] })
    expect(ws.protocol).toBe('quarterdeck.v1')
    const sessions = [await talked('say 3'), await talked('say 5')]
    for (const sessionId of sessions) ws.send(rpc(1, 'session.subscribe', { sessionId }))
    for (const sessionId of sessions) {
      const log = (await served.client.readEvents(sessionId)).events
      const shown = () =>
        received
          .map((text) => JSON.parse(text))
          .filter(({ method, params }) => method === 'session.event' && params.sessionId === sessionId)
          .map(({ params }) => params.event)
      await expect.poll(() => shown().length).toBe(log.length)
      expect(shown()).toEqual(log)
    }
    ws.close()
  })

  it('answers an invalid message with an error and continues', async () => {
    const { ws, received } = await openClient(address(), { token: served.token })
    ws.send(Buffer.from([1]))
    ws.send('{')
    ws.send(rpc(7, 'server.info', {}))
    await expect.poll(() => received.length).toBe(3)
    const errors = received.map((text) => JSON.parse(text).error?.code)
    expect(errors).toEqual([-32_600, -32_700, undefined])
    ws.close()
  })

  it('accepts a token as a subprotocol, and refuses clients without one', async () => {
    const protocols = ['quarterdeck.v1', `quarterdeck.token.${served.token}`]
    const { ws } = await openClient(address(), { protocols })
    expect(ws.protocol).toBe('quarterdeck.v1')
    ws.close()
    // A page that offers only its token: a browser gives up if no protocol is selected.
    const bare = await openClient(address(), { protocols: [`quarterdeck.token.${served.token}`] })
    expect(bare.ws.readyState).toBe(WebSocket.OPEN)
    bare.ws.close()
    for (const offered of [['quarterdeck.v1'], ['quarterdeck.token.wrong']]) {
      const refused = new WebSocket(address(), offered)
      refused.on('error', () => undefined)
      const status = await new Promise((resolve) =>
        refused.once('unexpected-response', (_, { statusCode }) => resolve(statusCode)),
      )
      expect(status).toBe(401)
      refused.terminate()
    }
    const plain = await fetch(`${served.url}/v1/ws`, { headers: { authorization: `Bearer ${served.token}` } })
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket'])
  })

  it('accepts the cookie of a signed-in browser from our own pages only', async () => {
    const link = await fetch(served.server.loginLink(), { redirect: 'manual' })
    const cookie = (link.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const outcome = (origin: string, protocols: string[]) =>
      new Promise((resolve) => {
        const ws = new WebSocket(address(), protocols, { origin, headers: { cookie } })
        ws.on('error', () => undefined)
        ws.once('open', () => resolve('open'))
        ws.once('unexpected-response', (_, { statusCode }) => resolve(statusCode))
        ws.once('open', () => ws.close())
      })
    expect(await outcome(served.url, [])).toBe('open')
    expect(await outcome('https://evil.example', [])).toBe(403)
    expect(await outcome(listed, [])).toBe(401)
    expect(await outcome(listed, ['quarterdeck.v1', `quarterdeck.token.${served.token}`])).toBe('open')
  })

  it('checks the permission of each call, and closes when its key is revoked', async () => {
    const { keys } = served.server.runtime.engine
    const { token } = await keys.createKey({ name: 'eve', owner: 'eve', scope: 'viewer' }, 'operator')
    const viewer = served.socketClient({ token })
    await expect(viewer.call('session.start', { agent: 'hello' })).rejects.toMatchObject({ code: 'auth.forbidden' })
    const sessionId = await talked('say 1')
    await expect(viewer.call('session.get', { sessionId })).rejects.toMatchObject({ code: 'session.not-found' })
    await expect(follow(viewer.follow(sessionId))).rejects.toMatchObject({ code: 'session.not-found' })
    const { closed } = await openClient(address(), { token })
    await keys.revokeKey('eve', 'operator')
    await expect(viewer.call('session.list')).rejects.toMatchObject({
      code: expect.stringMatching(/^auth\.invalid|^server\.unreachable/),
    })
    expect(await closed).toBe(1008)
    await expect(viewer.call('session.list')).rejects.toMatchObject({ code: 'auth.invalid' })
  })

  it('does not reconnect with a revoked key: subscriptions end with the reason', async () => {
    const { keys } = served.server.runtime.engine
    const { token } = await keys.createKey({ name: 'joe' }, 'operator')
    const client = served.socketClient({ token })
    const { sessionId } = await client.call('session.start', { agent: 'hello' })
    const events = client.follow(sessionId)
    expect(await events.next()).toMatchObject({ value: { type: 'AgentSessionCreated' } })
    const rest = follow(events)
    await keys.revokeKey('joe', 'operator')
    await expect(rest).rejects.toMatchObject({ code: 'auth.invalid' })
  })

  it('limits the requests of a key call by call', async () => {
    const { token } = await served.server.runtime.engine.keys.createKey(
      { name: 'slow', owner: 'slow', requestsPerMinute: 5 },
      'operator',
    )
    const client = served.socketClient({ token })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => client.call('session.list')))
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(5)
    expect(refused[0]).toMatchObject({ reason: { code: 'request.rate-limited' } })
  })

  it('disconnects a reader that stops reading at a bounded buffer, and lets it resume at its cursor', async () => {
    const sessionId = await talked('say 60 100000')
    const raw = await openRawClient({ port: served.server.port, path: '/v1/ws', token: served.token })
    const ask = rawFrame({ first: 0x81, payload: Buffer.from(rpc(1, 'session.subscribe', { sessionId })) })
    const before = process.memoryUsage().rss
    raw.socket.pause()
    await raw.send(ask)
    await vi.waitFor(() => expect(served.server.runtime.engine.listenerCount()).toBe(1), patience)
    await vi.waitFor(() => expect(served.server.runtime.engine.listenerCount()).toBe(0), patience)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
    raw.socket.resume()
    await raw.closed
    const half = await follow(served.socketClient().follow(sessionId), (event) => isDurable(event) && event.seq === 20)
    const rest = await follow(served.socketClient().follow(sessionId, { after: 20 }))
    const seqs = [...half, ...rest].filter(isDurable).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(seqs.length).toBeGreaterThan(60)
  })
})

describe('requests that offer another protocol', () => {
  it('are answered as if they did not', async () => {
    const created = await new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${served.token}`,
        'content-type': 'application/json',
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQAAP__',
      }
      const asking = request(`${served.url}/v1/sessions`, { method: 'POST', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      asking.on('error', reject)
      asking.end(JSON.stringify({ agent: 'hello', title: 'x'.repeat(100) }))
    })
    expect(created).toBe(201)
  })
})

describe('a socket client', () => {
  it('follows a session with the same events as server-sent events, however often its connection drops', async () => {
    const { sessionId } = await served.client.createSession({ agent: 'hello' })
    let seed = 7
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed
    }
    const dropped = served.socketClient({ WebSocket: droppingSocket(() => 2 + (random() % 20)) })
    const stayed = served.socketClient()
    const watching = [
      follow(served.client.follow(sessionId)),
      follow(stayed.follow(sessionId)),
      follow(dropped.follow(sessionId, { backoff: atOnce })),
    ]
    await served.client.sendMessage(sessionId, { content: 'say 30' })
    const [sse = [], one, other] = await Promise.all(watching)
    const items = foldTranscript(emptyTranscript, sse).items
    for (const seen of [one, other]) {
      expect(seen?.filter(isDurable)).toEqual(sse.filter(isDurable))
      expect(foldTranscript(emptyTranscript, seen ?? []).items).toEqual(items)
    }
  })

  it('answers approvals and calls of its tools', async () => {
    const client = served.socketClient()
    const asked: string[] = []
    client.handle('approval.request', ({ toolName }) => {
      asked.push(toolName)
      return { decision: 'allow' }
    })
    client.handle('tool.call', async ({ toolInput }) => ({ output: `${toolInput.city}: rain` }))
    const { sessionId } = await client.call('session.start', {
      agent: 'hello',
      client: { clientId: 'desk', tools: [weather] },
    })
    const following = client.follow(sessionId)
    await client.call('session.message', { sessionId, content: 'list' }, { key: 'first' })
    await client.call('session.message', { sessionId, content: 'list' }, { key: 'first' })
    const one = await follow(following, (event) => event.type === 'ToolExecuted')
    expect(asked).toEqual(['Bash'])
    await client.call('session.message', { sessionId, content: 'weather' })
    const after = one.filter(isDurable).at(-1)?.seq ?? 0
    const two = await follow(client.follow(sessionId, { after }), (event) => event.type === 'ClientToolReturned')
    expect(two.find((event) => event.type === 'ClientToolReturned')).toMatchObject({ data: { output: 'Oslo: rain' } })
  })

  it('runs a handler once, even if the connection breaks before the answer is sent', async () => {
    const sockets: WebSocket[] = []
    class RecordingSocket extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols)
        sockets.push(this)
      }
    }
    const client = served.socketClient({ WebSocket: RecordingSocket })
    let runs = 0
    client.handle('tool.call', async () => {
      runs += 1
      sockets.at(-1)?.terminate()
      await new Promise((resolve) => setTimeout(resolve, 100))
      return { output: 'late, but here' }
    })
    const { sessionId } = await client.call('session.start', {
      agent: 'hello',
      message: 'weather',
      client: { clientId: 'desk', tools: [weather] },
    })
    const seen = await follow(client.follow(sessionId, { backoff: atOnce }))
    expect(seen.find((event) => event.type === 'ClientToolReturned')).toMatchObject({
      data: { output: 'late, but here' },
    })
    expect([runs, sockets.length]).toEqual([1, 2])
  })

  it('tells a handler that the ask was decided elsewhere', async () => {
    const client = served.socketClient()
    const isDecidedElsewhere = new Promise<void>((resolve) => {
      client.handle('approval.request', async ({ approvalId }, signal) => {
        signal.addEventListener('abort', () => resolve())
        await served.client.decideApproval(approvalId, { decision: 'deny' })
        return new Promise(() => undefined)
      })
    })
    const { sessionId } = await client.call('session.start', { agent: 'hello', message: 'list' })
    await follow(client.follow(sessionId))
    await isDecidedElsewhere
  })

  it('reports why it cannot connect, what was refused, and that it was closed', async () => {
    const stranger = served.socketClient({ token: 'wrong' })
    await expect(stranger.call('server.info')).rejects.toMatchObject({ code: 'auth.invalid' })
    const nowhere = served.socketClient({ baseUrl: 'http://127.0.0.1:9' })
    await expect(nowhere.call('server.info')).rejects.toMatchObject({ code: 'server.unreachable' })
    const client = served.socketClient()
    await expect(client.call('session.list', { limit: 0 })).rejects.toMatchObject({ code: 'request.invalid' })
    const sessionId = await talked('say 1')
    await expect(follow(client.follow(sessionId, { after: 99 }))).rejects.toMatchObject({ code: 'cursor.beyond-log' })
    const following = follow(client.follow(sessionId, { backoff: atOnce }), () => false)
    const pending = client.call('session.list')
    client.close()
    await expect(pending).rejects.toMatchObject({ code: 'server.unreachable' })
    await expect(following).rejects.toMatchObject({ code: 'server.unreachable' })
    await expect(client.call('server.info')).rejects.toThrow('closed')
  })

  it('stops following on request, and leaks nothing', async () => {
    const sessionId = await talked('say 1')
    const client = served.socketClient()
    const stop = new AbortController()
    for await (const _ of client.follow(sessionId, { signal: stop.signal })) stop.abort()
    await vi.waitFor(() => expect(served.server.runtime.engine.listenerCount()).toBe(0), patience)
  })

  it('treats a silent connection as dead, and reconnects', async () => {
    let isDeaf = true
    class Deaf extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols)
        if (isDeaf) this.on('open', () => this.removeAllListeners('message'))
        isDeaf = false
      }
    }
    const sessionId = await talked('say 1')
    const client = served.socketClient({ WebSocket: Deaf, silenceMs: 300 })
    const statuses: string[] = []
    await follow(client.follow(sessionId, { backoff: atOnce, onStatus: (status) => statuses.push(status) }))
    expect(statuses).toEqual(['connecting', 'reconnecting', 'live'])
  })
})

describe('a thousand clients that connect and disconnect', () => {
  const collect: () => void = (() => {
    setFlagsFromString('--expose-gc')
    return runInNewContext('gc')
  })()
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }

  async function comeAndGo(visit: () => Promise<() => void>): Promise<void> {
    const leave = await Promise.all(Array.from({ length: 50 }, visit))
    for (const one of leave) one()
  }

  it.each(['native', 'chat'])('leak no listener, no socket and no memory: %s', async (kind) => {
    const { engine } = served.server.runtime
    const sessionId = await talked('say 1')
    const visit = async () => {
      const path = kind === 'native' ? '/v1/ws' : `/ws/chat?sessionId=${sessionId}`
      const { ws, received } = await openClient(`${served.url.replace('http', 'ws')}${path}`, { token: served.token })
      if (kind === 'native') {
        ws.send(rpc(1, 'session.subscribe', { sessionId }))
        while (received.length < 2) await once(ws, 'message')
      }
      return Math.random() < 0.5 ? () => ws.terminate() : () => ws.close()
    }
    const quiet = async () => {
      await vi.waitFor(() => expect(engine.listenerCount()).toBe(0), patience)
      await vi.waitFor(() => expect(sockets()).toBeLessThanOrEqual(before), patience)
    }
    const before = sockets()
    await comeAndGo(visit)
    await quiet()
    const settled = heap()
    for (let round = 0; round < 20; round += 1) await comeAndGo(visit)
    await quiet()
    expect(heap() - settled).toBeLessThan(10 * 1024 * 1024)
  })
})
