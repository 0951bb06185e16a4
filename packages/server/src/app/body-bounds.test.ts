// Size and time limits of request bodies, on real connections.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxBodyBytes, maxBodyBytesWithImages } from '../http/read-body.ts'
import { runtimeOptions } from '../runtime/runtime.fixture.ts'
import { type RunningServer, startServer } from './start-server.ts'

const plenty = { perSecond: 10_000, burst: 10_000 }

async function start(timing: { readonly bodyIdleMs?: number; readonly bodyTotalMs?: number } = {}) {
  const runtime = await runtimeOptions()
  const rateLimits = { requests: plenty, changes: plenty }
  const server = await startServer({ host: '127.0.0.1', port: 0, runtime, timing, rateLimits })
  return { server, token: (await readFile(join(runtime.dataDir, 'token'), 'utf8')).trim() }
}

let server: RunningServer
let token: string
beforeAll(async () => {
  ;({ server, token } = await start())
})
afterAll(() => server.close())

interface Sent {
  readonly method?: string
  readonly path: string
  readonly body: string
  readonly isChunked: boolean
}

async function send({ method = 'POST', path, body, isChunked }: Sent) {
  const { sessionId } = await server.runtime.engine.sessions.createSession({ agent: 'hello' }, 'operator')
  const sending = request(`${server.url}${path.replace('{id}', sessionId)}`, {
    method,
    // A connection of its own: listeners would gather on a reused one.
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(Buffer.byteLength(body)) }),
    },
  })
  // The server may answer and close while the rest is still being written.
  sending.on('error', () => undefined)
  sending.on('socket', (socket) => socket.on('error', () => undefined))
  sending.end(body)
  const [response] = await once(sending, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() }
}

/** JSON of exactly this many bytes: trailing spaces do not change its value. */
const padded = (value: object, bytes: number) => JSON.stringify(value).padEnd(bytes, ' ')

describe.each([
  ['Content-Length', false],
  ['chunked', true],
] as const)('a body with %s', (_, isChunked) => {
  it.each([
    { method: 'POST', path: '/v1/sessions', value: { agent: 'hello' }, status: 201 },
    { method: 'POST', path: '/v1/sessions/{id}/messages', value: { content: 'hi' }, status: 201 },
    { method: 'PATCH', path: '/v1/sessions/{id}', value: { title: 'A title' }, status: 200 },
    { method: 'POST', path: '/v1/sessions/{id}/fork', value: {}, status: 201 },
    { method: 'POST', path: '/v1/budgets', value: { scope: 'all', period: 'day', limit: 100 }, status: 201 },
    // The size is accepted; the schema refuses the value.
    { method: 'POST', path: '/api/analyze', value: { question: 'x', tables: [] }, status: 400 },
  ])('of 1 MiB is accepted by $method $path, and one byte more is refused', async ({ method, path, value, status }) => {
    const accepted = await send({ method, path, body: padded(value, maxBodyBytes), isChunked })
    expect([accepted.status, accepted.text]).toEqual([status, expect.any(String)])
    const refused = await send({ method, path, body: padded(value, maxBodyBytes + 1), isChunked })
    expect(refused.status).toBe(413)
    expect(Problem.parse(JSON.parse(refused.text))).toMatchObject({ code: 'request.too-large' })
  })

  it('may have images in addition to 1 MiB, up to a limit of their own', async () => {
    const withImage = (characters: number, bytes: number) =>
      padded({ content: 'hi', images: [{ mediaType: 'image/png', data: 'A'.repeat(characters) }] }, bytes)
    const path = '/v1/sessions/{id}/messages'
    const characters = 4 * 1024 * 1024
    // The size is accepted; the data is not an image.
    const accepted = await send({ path, body: withImage(characters, characters + maxBodyBytes), isChunked })
    expect([accepted.status, accepted.text]).toEqual([400, expect.stringContaining('images')])
    const refused = await send({ path, body: withImage(characters, characters + maxBodyBytes + 1), isChunked })
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('not counting images')])
    const far = await send({ path, body: ' '.repeat(maxBodyBytesWithImages + 1), isChunked })
    expect(far.status).toBe(413)
  })
})

describe('a body that arrives slowly', () => {
  const head = (length: number, key: string) =>
    `POST /v1/sessions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

  async function open(timing: { readonly bodyIdleMs: number; readonly bodyTotalMs: number }) {
    const slow = await start(timing)
    const socket = connect(slow.server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    return { ...slow, socket, received: () => received, closed: once(socket, 'close') }
  }

  it('is answered with 408 and its connection is closed when nothing more arrives', async () => {
    const {
      server: slow,
      token: key,
      socket,
      received,
      closed,
    } = await open({ bodyIdleMs: 100, bodyTotalMs: 3_600_000 })
    socket.write(`${head(100, key)}{"agent"`)
    await closed
    expect(received()).toMatch(/^HTTP\/1.1 408 /)
    expect(received()).toContain('application/problem+json')
    expect(received()).toContain('"code":"request.timeout"')
    expect((await slow.runtime.engine.sessions.listSessions({})).sessions).toEqual([])
    await slow.close()
  })

  it('is answered with 408 when single bytes arrive too slowly', async () => {
    const {
      server: slow,
      token: key,
      socket,
      received,
      closed,
    } = await open({ bodyIdleMs: 3_600_000, bodyTotalMs: 300 })
    socket.write(head(1000, key))
    const drip = setInterval(() => socket.write(' '), 20)
    await closed
    clearInterval(drip)
    expect(received()).toMatch(/^HTTP\/1.1 408 /)
    await slow.close()
  })

  it('is read to its end while it makes progress, however long that takes', async () => {
    const bodyTotalMs = 300
    const { server: slow, token: key, socket, received, closed } = await open({ bodyIdleMs: 3_600_000, bodyTotalMs })
    const body = padded({ agent: 'hello' }, maxBodyBytes)
    const startedAt = performance.now()
    socket.write(head(body.length, key).replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
    for (let at = 0; at < body.length; at += body.length / 16) {
      socket.write(body.slice(at, at + body.length / 16))
      await sleep(40)
    }
    await closed
    expect(performance.now() - startedAt).toBeGreaterThan(bodyTotalMs)
    expect(received()).toMatch(/^HTTP\/1.1 201 /)
    await slow.close()
  })
})
