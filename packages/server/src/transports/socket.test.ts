import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { echo, openClient, openRawClient, openSocketServer, rawFrame } from './socket.fixture.ts'
import type { Socket } from './socket.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

type TestServer = Awaited<ReturnType<typeof openSocketServer>>
const opened = new Set<TestServer>()
afterEach(async () => {
  for (const server of opened) await server.close()
  opened.clear()
})

async function open(...options: Parameters<typeof openSocketServer>): Promise<TestServer> {
  const server = await openSocketServer(...options)
  opened.add(server)
  return server
}

const patience = { timeout: 60_000 }
const text = (value: string) => rawFrame({ first: 0x81, payload: Buffer.from(value) })
const heap = () => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('a frame that violates the protocol', () => {
  let server: TestServer
  let neighbour: Awaited<ReturnType<typeof openClient>>
  beforeAll(async () => {
    server = await openSocketServer({ serve: echo })
    neighbour = await openClient(server.url)
  })
  afterAll(() => server.close())

  it.each([
    ['an unknown opcode', rawFrame({ first: 0x83 }), 1002],
    ['no mask', rawFrame({ first: 0x81, payload: Buffer.from('hi'), isMasked: false }), 1002],
    ['reserved bits', rawFrame({ first: 0xc1, payload: Buffer.from('hi') }), 1002],
    ['the end of nothing', rawFrame({ first: 0x80, payload: Buffer.from('hi') }), 1002],
    ['a beginning within a message', Buffer.concat([rawFrame({ first: 0x01 }), rawFrame({ first: 0x01 })]), 1002],
    ['a ping in pieces', rawFrame({ first: 0x09 }), 1002],
    ['a ping that is too long', rawFrame({ first: 0x89, payload: Buffer.alloc(126) }), 1002],
    ['a goodbye with a made-up code', rawFrame({ first: 0x88, payload: Buffer.from([0x03, 0xed]) }), 1002],
    ['text that is not UTF-8', rawFrame({ first: 0x81, payload: Buffer.from([0xff, 0xfe]) }), 1007],
    ['far too many bytes, only announced', rawFrame({ first: 0x81, length: 2 ** 40 }), 1009],
    ['a length beyond all numbers', rawFrame({ first: 0x81, length: 2 ** 60 }), 1009],
  ])('closes only its own connection, with its code: %s', async (_, bytes, code) => {
    const raw = await openRawClient(server)
    await raw.send(bytes)
    expect(await raw.closeCode()).toBe(code)
    const received = neighbour.received.length
    neighbour.ws.send('still there?')
    await expect.poll(() => neighbour.received.length).toBe(received + 1)
  })
})

describe('a frame', () => {
  it('that is binary or slightly too large is reported, and the connection stays open', async () => {
    const server = await open({ serve: echo })
    const { ws, received } = await openClient(server.url)
    ws.send(Buffer.from([1, 2, 3]))
    ws.send('x'.repeat(1000))
    ws.send('x'.repeat(1001))
    ws.send('hi')
    await expect.poll(() => received.length).toBe(4)
    expect(received).toEqual(['{"type":"binary"}', 'x'.repeat(1000), '{"type":"too-large","bytes":1001}', 'hi'])
  })

  it('may begin with a byte order mark', async () => {
    const server = await open({ serve: echo })
    const { ws, received } = await openClient(server.url)
    ws.send('\uFEFF{}')
    await expect.poll(() => received).toEqual(['{}'])
  })

  it('that is never finished is bounded in bytes and fragments', async () => {
    const server = await open({ serve: echo })
    const large = await openRawClient(server)
    const piece = (first: number) => rawFrame({ first, payload: Buffer.alloc(60_000, 'x') })
    await large.send(Buffer.concat([piece(0x01), ...Array.from({ length: 20 }, () => piece(0x00))]))
    expect(await large.closeCode()).toBe(1009)
    const small = await openRawClient(server)
    const crumb = rawFrame({ first: 0x00, payload: Buffer.from('x') })
    await small.send(Buffer.concat([rawFrame({ first: 0x01 }), ...Array.from({ length: 20_000 }, () => crumb)]))
    expect(await small.closeCode()).toBe(1008)
  })

  it('arrives in order, even ten thousand at once, with constant memory', async () => {
    const server = await open({
      async serve(socket) {
        for await (const frame of socket.frames()) {
          await new Promise((resolve) => setImmediate(resolve))
          socket.send(frame.type === 'text' ? frame.text : '')
        }
      },
    })
    const { ws, received } = await openClient(server.url)
    const numbers = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(50, '0'))
    const before = heap()
    for (const number of numbers) ws.send(number)
    await expect.poll(() => received.length, patience).toBeGreaterThan(5000)
    expect(heap() - before).toBeLessThan(20 * 1024 * 1024)
    await expect.poll(() => received.length, patience).toBe(10_000)
    expect(received).toEqual(numbers)
  })
})

describe('a client that does not read', () => {
  /** Returns how much was sent before the server waited or disconnected the client. */
  function pushing(respectsBackpressure: boolean) {
    const seen = { sent: 0, isOver: false, mostWaiting: 0 }
    const serve = async (socket: Socket) => {
      const piece = 'x'.repeat(16 * 1024)
      while (!socket.signal.aborted) {
        const hasCapacity = socket.send(piece)
        seen.sent += piece.length
        if (hasCapacity || !respectsBackpressure) await new Promise((resolve) => setImmediate(resolve))
        else await socket.drained()
      }
      seen.isOver = true
    }
    return { seen, serve }
  }

  it('is disconnected at a limit by a sender that does not wait', async () => {
    const { seen, serve } = pushing(false)
    const server = await open({ serve })
    const { socket, closed } = await openRawClient(server)
    socket.pause()
    await expect.poll(() => seen.isOver, patience).toBe(true)
    // The buffers of the system and our own limits.
    expect(seen.sent).toBeLessThan(16 * 1024 * 1024)
    socket.resume()
    await closed
    await expect.poll(server.connections).toBe(0)
  })

  it('is waited for, and disconnected after too long without reading', async () => {
    const { seen, serve } = pushing(true)
    const server = await open({ serve, timing: { heartbeatMs: 20, stallMs: 300 } })
    const { socket, closed } = await openRawClient(server)
    socket.pause()
    await expect.poll(() => seen.isOver, patience).toBe(true)
    expect(seen.sent).toBeLessThan(16 * 1024 * 1024)
    socket.resume()
    await closed
  })

  it('for a while is not disconnected by a sender that waits, however much was sent at once', async () => {
    const piece = 'x'.repeat(1024 * 1024)
    const seen = { goes: 0 }
    const server = await open({
      async serve(socket) {
        for (; seen.goes < 3; seen.goes += 1) {
          await socket.drained()
          for (let at = 0; at < 10; at += 1) socket.send(piece)
        }
        for await (const _ of socket.frames());
      },
    })
    const { ws, received, closed } = await openClient(server.url)
    ws.pause()
    await expect.poll(() => seen.goes, patience).toBeGreaterThan(0)
    ws.resume()
    await expect.poll(() => received.length, patience).toBe(30)
    ws.close(1000)
    expect(await closed).toBe(1000)
  })

  it('gets no pongs that would fill the memory', async () => {
    const server = await open({ serve: echo })
    const raw = await openRawClient(server)
    raw.socket.pause()
    const pings = Buffer.concat(
      Array.from({ length: 1000 }, () => rawFrame({ first: 0x89, payload: Buffer.alloc(125) })),
    )
    const before = heap()
    for (let round = 0; round < 200; round += 1) await raw.send(pings)
    expect(heap() - before).toBeLessThan(12 * 1024 * 1024)
    raw.socket.destroy()
  })

  it('and floods with calls is slowed down, and disconnected in the end', async () => {
    const server = await open({ serve: echo, timing: { heartbeatMs: 20, stallMs: 500 } })
    const raw = await openRawClient(server)
    raw.socket.pause()
    const flood = Buffer.concat(Array.from({ length: 100 }, () => text('x'.repeat(900))))
    const before = heap()
    for (let round = 0; round < 300 && !raw.socket.destroyed; round += 1) {
      if (!raw.socket.write(flood))
        await Promise.race([new Promise((resolve) => raw.socket.once('drain', resolve)), raw.closed])
    }
    raw.socket.resume()
    await raw.closed
    expect(heap() - before).toBeLessThan(12 * 1024 * 1024)
  })
})

describe('a connection', () => {
  it('ends when the client is silent and answers no pings', async () => {
    let isOver = false
    const server = await open({
      timing: { heartbeatMs: 20, stallMs: 200 },
      async serve(socket) {
        await echo(socket)
        isOver = true
      },
    })
    const quiet = await openRawClient(server)
    const { ws } = await openClient(server.url)
    await quiet.closed
    await expect.poll(() => isOver).toBe(true)
    expect(ws.readyState).toBe(WebSocket.OPEN)
  })

  it('ends when its handler is done, even while the client keeps sending', async () => {
    const server = await open({
      async serve(socket) {
        for await (const _ of socket.frames()) return
      },
    })
    const { ws, closed } = await openClient(server.url)
    for (let index = 0; index < 500; index += 1) ws.send('x'.repeat(1000))
    expect(await closed).toBe(1000)
    await expect.poll(server.connections).toBe(0)
  })

  it('reports an internal error without details', async () => {
    const server = await open({ serve: () => Promise.reject(new Error('swordfish')) })
    const { ws } = await openClient(server.url)
    const [code, reason] = await once(ws, 'close')
    expect([code, String(reason)]).toEqual([1011, 'the server failed'])
  })

  it('is closed when the server stops, and cut if the client does not answer', async () => {
    const server = await open({ serve: echo })
    const { closed } = await openClient(server.url)
    const deaf = await openRawClient(server)
    server.closing.abort()
    expect(await closed).toBe(1001)
    expect(await deaf.closeCode()).toBe(1001)
    await expect.poll(server.connections).toBe(0)
  })

  it('selects the protocol of its route, or any that is not a token', async () => {
    const server = await open({ serve: echo, route: { protocol: 'one' } })
    const { ws } = await openClient(server.url, { protocols: ['two', 'one', 'quarterdeck.token.secret'] })
    expect(ws.protocol).toBe('one')
    const anybody = await open({ serve: echo })
    const other = await openClient(anybody.url, { protocols: ['quarterdeck.token.secret', 'two'] })
    expect(other.ws.protocol).toBe('two')
  })

  it('is refused at an address without WebSocket, however long its response would be', async () => {
    const server = await open({ serve: echo })
    for (const [path, status] of [
      ['endless', 400],
      ['nowhere', 404],
    ] as const) {
      const ws = new WebSocket(`ws://127.0.0.1:${server.port}/${path}`)
      ws.on('error', () => undefined)
      const [, response] = await once(ws, 'unexpected-response')
      expect(response.statusCode).toBe(status)
      ws.terminate()
    }
  })
})
