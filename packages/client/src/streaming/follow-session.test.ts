import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  emptyTranscript,
  foldTranscript,
  isDurable,
  problemOf,
  QuarterdeckError,
  type SessionEvent,
  SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { createRandom, randomLog } from '../../../protocol/src/projections/sample-log.fixture.ts'
import { createClient } from '../create-client.ts'
import type { ConnectionStatus } from './follow-events.ts'
import type { FollowOptions } from './follow-session.ts'

const sessionId = SessionId.parse('ses_00000001')
const atOnce = { next: () => 0, reset: () => undefined }

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A real server that answers each connection with `answer`. */
async function serve(answer: (response: ServerResponse, after: number, attempt: number) => void) {
  let attempts = 0
  server = createServer((request: IncomingMessage, response) => {
    attempts += 1
    answer(response, Number(request.headers['last-event-id']), attempts)
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // listening on TCP, so it has a port
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'made-up' })
  return { client, attempts: () => attempts }
}

const open = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const frameOf = (event: StreamedEvent) =>
  `${isDurable(event) ? `id: ${event.seq}\n` : ''}data: ${JSON.stringify(event)}\n\n`

/** Follows until the event with the last number arrives. */
async function followTo(client: ReturnType<typeof createClient>, lastSeq: number, options: FollowOptions = {}) {
  const stop = new AbortController()
  const events: StreamedEvent[] = []
  for await (const event of client.follow(sessionId, { backoff: atOnce, signal: stop.signal, ...options })) {
    events.push(event)
    if (isDurable(event) && event.seq === lastSeq) stop.abort()
  }
  return events
}

describe('followSession', () => {
  const log = randomLog(11, 300).filter(isDurable)
  const lastSeq = log.length

  it('ignores an id without data', async () => {
    const { client } = await serve((response) => {
      open(response)
      response.write(`id: 1\n\n${log.slice(0, 3).map(frameOf).join('')}`)
    })
    expect(await followTo(client, 3)).toEqual(log.slice(0, 3))
  })

  it('yields the same events and transcript when the connection drops after every single event', async () => {
    const { client, attempts } = await serve((response, after) => {
      open(response)
      const next = log[after]
      response.end(next === undefined ? '' : frameOf(next))
    })
    const events = await followTo(client, lastSeq)
    expect(events).toEqual(log)
    expect(foldTranscript(emptyTranscript, events)).toEqual(foldTranscript(emptyTranscript, log))
    expect(attempts()).toBeGreaterThanOrEqual(lastSeq)
  })

  it('loses and repeats no event, whatever the connection does', async () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const random = createRandom(seed)
      const { client } = await serve((response, after) =>
        misbehave(response, log.slice(Math.max(0, after - 6)), { random, after }),
      )
      expect(await followTo(client, lastSeq)).toEqual(log)
      server?.closeAllConnections()
      server?.close()
    }
  })

  it('starts behind the events that the caller already has', async () => {
    const { client } = await serve((response, after) => {
      open(response)
      response.end(log.slice(after).map(frameOf).join(''))
    })
    expect(await followTo(client, lastSeq, { after: lastSeq - 3 })).toEqual(log.slice(-3))
  })

  it('yields streamed text but no comments', async () => {
    const token: StreamedEvent = {
      type: 'AgentStreamToken',
      agent: null,
      data: { text: 'a', messageId: 'm', kind: 'text' },
    }
    const { client } = await serve((response) => {
      open(response)
      const strange = 'data: {"type":"FromTheFuture","agent":null,"data":{}}\n\n'
      response.write(`: beat\n\n${frameOf(token)}${strange}${log.slice(0, 1).map(frameOf).join('')}`)
    })
    expect(await followTo(client, 1)).toEqual([token, log[0]])
  })

  it('skips an event of an unknown type and continues behind it', async () => {
    const strange = { ...log[1], type: 'FromTheFuture' }
    const { client } = await serve((response) => {
      open(response)
      response.write(`${log.slice(0, 1).map(frameOf).join('')}id: 2\ndata: ${JSON.stringify(strange)}\n\n`)
      response.write(log.slice(2, 3).map(frameOf).join(''))
    })
    expect(await followTo(client, 3)).toEqual([log[0], log[2]])
  })

  it('skips an event of a known type with unreadable content, and continues behind it', async () => {
    const strange = { ...log[1], data: { from: 'the future' }, v: 2 }
    const { client, attempts } = await serve((response, after) => {
      open(response)
      const frames = log
        .slice(0, 3)
        .map((event) => (event.seq === 2 ? `id: 2\ndata: ${JSON.stringify(strange)}\n\n` : frameOf(event)))
      response.write(frames.slice(after).join(''))
    })
    expect(await followTo(client, 3)).toEqual([log[0], log[2]])
    expect(attempts()).toBe(1)
  })

  it.each([
    ['no number', JSON.stringify({ ...log[1], seq: undefined })],
    ['no id', JSON.stringify({ ...log[1], id: 7 })],
    ['no type', JSON.stringify({ ...log[1], type: null })],
    ['no JSON', '<html>'],
  ])('throws on a value that is not an event (%s): the cursor could never move on', async (_, data) => {
    const { client, attempts } = await serve((response) => {
      open(response)
      response.write(`${log.slice(0, 1).map(frameOf).join('')}id: 2\ndata: ${data}\n\n`)
    })
    await expect(followTo(client, 3)).rejects.toMatchObject({ code: 'internal', facts: { id: '2' } })
    expect(attempts()).toBe(1)
  })

  it('reconnects when a connection is silent', async () => {
    const { client, attempts } = await serve((response, after) => {
      open(response)
      response.write(
        log
          .slice(after, after + 1)
          .map(frameOf)
          .join(''),
      )
    })
    expect(await followTo(client, 3, { silenceMs: 30 })).toEqual(log.slice(0, 3))
    expect(attempts()).toBe(3)
  })

  it('reports whether it is live', async () => {
    const statuses: ConnectionStatus[] = []
    const { client } = await serve((response, after, attempt) => {
      if (attempt === 2) return response.writeHead(500).end()
      open(response)
      response.end(
        log
          .slice(after, after + 1)
          .map(frameOf)
          .join(''),
      )
    })
    await followTo(client, 2, { onStatus: (status) => statuses.push(status) })
    expect(statuses).toEqual(['connecting', 'live', 'reconnecting', 'reconnecting', 'live'])
  })

  it.each([
    ['session.not-found', 404],
    ['cursor.beyond-log', 412],
    ['cursor.malformed', 400],
    ['auth.invalid', 401],
  ] as const)('throws %s: a retry would get the same answer', async (code, status) => {
    const { client, attempts } = await serve((response) => {
      const problem = problemOf(new QuarterdeckError(code, 'the sentence', { facts: { snapshot: '/v1/x' } }))
      response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
    })
    await expect(followTo(client, 1)).rejects.toMatchObject({
      code,
      message: 'the sentence',
      facts: { snapshot: '/v1/x' },
    })
    expect(attempts()).toBe(1)
  })

  it('keeps the message of a refusal whose code only newer servers know', async () => {
    const problem = { code: 'session.asleep', detail: 'wake the session first' }
    const { client } = await serve((response) => response.writeHead(409).end(JSON.stringify(problem)))
    await expect(followTo(client, 1)).rejects.toMatchObject({ code: 'request.invalid', message: problem.detail })
  })

  it('throws on a refusal without an explanation', async () => {
    const { client } = await serve((response) => response.writeHead(404).end('not here'))
    await expect(followTo(client, 1)).rejects.toMatchObject({ code: 'request.invalid' })
  })

  it('retries while the server is draining, failing or busy', async () => {
    const draining = problemOf(new QuarterdeckError('server.draining', 'come back'))
    const { client } = await serve((response, after, attempt) => {
      if (attempt === 1) return response.writeHead(503).end(JSON.stringify(draining))
      if (attempt === 2) return response.writeHead(502).end('<html>')
      if (attempt === 3) return response.writeHead(429).end(JSON.stringify({ ...draining, status: 429 }))
      if (attempt === 4) return response.socket?.destroy()
      open(response)
      response.end(
        log
          .slice(after, after + 1)
          .map(frameOf)
          .join(''),
      )
    })
    expect(await followTo(client, 1)).toEqual(log.slice(0, 1))
  })

  it('ends without an error when the caller aborts, even while it waits', async () => {
    const { client } = await serve((response) => response.writeHead(500).end())
    const stop = new AbortController()
    const waiting = { next: () => 3_600_000, reset: () => undefined }
    const onStatus = (status: ConnectionStatus) => {
      if (status === 'reconnecting') stop.abort()
    }
    const events: StreamedEvent[] = []
    const following = client.follow(sessionId, { signal: stop.signal, backoff: waiting, onStatus })
    for await (const event of following) events.push(event)
    expect(events).toEqual([])
  })
})

/** Drops, repeats, skips, truncates, sends heartbeats and fails, but never alters an event. */
function misbehave(
  response: ServerResponse,
  log: readonly SessionEvent[],
  { random, after }: { random: (below: number) => number; after: number },
) {
  const mood = random(8)
  if (mood === 0) return response.writeHead(500).end('oh')
  if (mood === 1) return response.socket?.destroy()
  open(response)
  const from = mood === 2 ? after - random(6) : after
  const events = log.filter((event) => event.seq > from).slice(0, 1 + random(40))
  const frames = events.map(frameOf)
  if (mood === 3) frames.splice(random(frames.length), 1)
  if (mood === 4) frames.push(...frames.slice(-2))
  const text = frames.map((frame) => (random(4) === 0 ? `: beat\n\n${frame}` : frame)).join('')
  if (mood !== 5) return response.end(text)
  response.write(text.slice(0, random(text.length)), () => response.socket?.destroy())
}
