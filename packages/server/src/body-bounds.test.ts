// How large a body may be and how long it may take, on real connections.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { houseOptions } from './house.fixture.ts'
import { maxBodyBytes, maxBodyBytesWithImages } from './requests/read-body.ts'
import { type RunningServer, startServer } from './start-server.ts'

const plenty = { perSecond: 10_000, burst: 10_000 }

async function start(timing: { readonly bodyIdleMs?: number; readonly bodyTotalMs?: number } = {}) {
  const house = await houseOptions()
  const rateLimits = { requests: plenty, changes: plenty }
  const server = await startServer({ host: '127.0.0.1', port: 0, house, timing, rateLimits })
  return { server, token: (await readFile(join(house.dataDir, 'token'), 'utf8')).trim() }
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
  const { sessionId } = await server.house.engine.sessions.create({ agent: 'hello' }, 'operator')
  const sending = request(`${server.url}${path.replace('{id}', sessionId)}`, {
    method,
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

/** JSON of exactly so many bytes: spaces behind it do not change what it says. */
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
    // Read whole, then refused for what is in it.
    { method: 'POST', path: '/api/analyze', value: { question: 'x', tables: [] }, status: 400 },
  ])('of 1 MiB is taken by $method $path and one byte more is refused', async ({ method, path, value, status }) => {
    const taken = await send({ method, path, body: padded(value, maxBodyBytes), isChunked })
    expect([taken.status, taken.text]).toEqual([status, expect.any(String)])
    const refused = await send({ method, path, body: padded(value, maxBodyBytes + 1), isChunked })
    expect(refused.status).toBe(413)
    expect(Problem.parse(JSON.parse(refused.text))).toMatchObject({ code: 'request.too-large' })
  })

  it('may have pictures beside its 1 MiB, up to their own limit', async () => {
    const withImage = (letters: number, bytes: number) =>
      padded({ content: 'hi', images: [{ mediaType: 'image/png', data: 'A'.repeat(letters) }] }, bytes)
    const path = '/v1/sessions/{id}/messages'
    const letters = 4 * 1024 * 1024
    // These letters are not a picture, which is what is said of them once the size is accepted.
    const taken = await send({ path, body: withImage(letters, letters + maxBodyBytes), isChunked })
    expect([taken.status, taken.text]).toEqual([400, expect.stringContaining('images')])
    const refused = await send({ path, body: withImage(letters, letters + maxBodyBytes + 1), isChunked })
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('not counting pictures')])
    const far = await send({ path, body: ' '.repeat(maxBodyBytesWithImages + 1), isChunked })
    expect(far.status).toBe(413)
  })
})

describe('a body that comes slowly', () => {
  const head = (length: number, key: string) =>
    `POST /v1/sessions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

  async function open(timing: { readonly bodyIdleMs: number; readonly bodyTotalMs: number }) {
    const slow = await start(timing)
    const socket = connect(slow.server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
    })
    return { ...slow, socket, heard: () => heard, closed: once(socket, 'close') }
  }

  it('is answered with 408 and its connection closed once nothing more comes', async () => {
    const { server: slow, token: key, socket, heard, closed } = await open({ bodyIdleMs: 100, bodyTotalMs: 3_600_000 })
    socket.write(`${head(100, key)}{"agent"`)
    await closed
    expect(heard()).toMatch(/^HTTP\/1.1 408 /)
    expect(heard()).toContain('application/problem+json')
    expect(heard()).toContain('"code":"request.timeout"')
    expect((await slow.house.engine.sessions.list({})).sessions).toEqual([])
    await slow.close()
  })

  it('is answered with 408 even while a byte comes now and then', async () => {
    const { server: slow, token: key, socket, heard, closed } = await open({ bodyIdleMs: 3_600_000, bodyTotalMs: 300 })
    socket.write(head(1000, key))
    const drip = setInterval(() => socket.write(' '), 20)
    await closed
    clearInterval(drip)
    expect(heard()).toMatch(/^HTTP\/1.1 408 /)
    await slow.close()
  })

  it('is read to its end while it makes progress, however long that takes', async () => {
    const bodyTotalMs = 300
    const { server: slow, token: key, socket, heard, closed } = await open({ bodyIdleMs: 3_600_000, bodyTotalMs })
    const body = padded({ agent: 'hello' }, maxBodyBytes)
    const startedAt = performance.now()
    socket.write(head(body.length, key).replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
    for (let at = 0; at < body.length; at += body.length / 16) {
      socket.write(body.slice(at, at + body.length / 16))
      await sleep(40)
    }
    await closed
    expect(performance.now() - startedAt).toBeGreaterThan(bodyTotalMs)
    expect(heard()).toMatch(/^HTTP\/1.1 201 /)
    await slow.close()
  })
})
