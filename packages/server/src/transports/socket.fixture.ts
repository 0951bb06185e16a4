// A small server with one socket route, and clients that violate the protocol.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { silentLogger } from '@quarterdeck/engine'
import { Hono } from 'hono'
import { WebSocket } from 'ws'
import { operator } from '../auth/authenticate.ts'
import { createKeyWatch } from '../auth/key-watch.ts'
import type { AppEnv } from '../http/app-env.ts'
import { createUpgradeListener } from '../http/upgrade.ts'
import { answerErrors } from '../middleware/problem-response.ts'
import { mountSocket, type SocketRoute } from './mount-socket.ts'
import type { Socket } from './socket.ts'
import { defaultStreamTiming, type StreamTiming } from './stream-deps.ts'

const noKeys = { holding: async () => new Map(), onRevoked: () => () => undefined }

export interface SocketServerOptions {
  readonly serve: (socket: Socket) => Promise<void>
  readonly timing?: Partial<StreamTiming>
  readonly route?: Partial<SocketRoute>
}

export async function openSocketServer({ serve, timing, route }: SocketServerOptions) {
  const app = new Hono<AppEnv>()
  const closing = new AbortController()
  app.onError(answerErrors(silentLogger))
  app.use(async (c, next) => {
    c.set('principal', operator)
    c.set('key', null)
    await next()
  })
  mountSocket(
    app,
    { path: '/socket', permission: 'read', maxFrameBytes: 1000, open: async () => serve, ...route },
    {
      timing: { ...defaultStreamTiming, ...timing },
      keyWatch: createKeyWatch({ keys: noKeys, logger: silentLogger }),
      closing: closing.signal,
      logger: silentLogger,
    },
  )
  app.get('/endless', (c) => c.body(new ReadableStream({ pull: () => new Promise(() => undefined) })))
  const server: Server = createServer()
  server.on('upgrade', createUpgradeListener(app, silentLogger))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // listening on TCP, so it has a port
  return {
    port,
    closing,
    url: `ws://127.0.0.1:${port}/socket`,
    connections: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
    async close() {
      closing.abort()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Echoes each frame. */
export async function echo(socket: Socket): Promise<void> {
  for await (const frame of socket.frames()) {
    await socket.drained()
    socket.send(frame.type === 'text' ? frame.text : JSON.stringify(frame))
  }
}

export async function openClient(url: string, options: { protocols?: string[]; token?: string } = {}) {
  const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }
  const ws = new WebSocket(url, options.protocols ?? [], { headers })
  const received: string[] = []
  ws.on('message', (data) => received.push(String(data)))
  ws.on('error', () => undefined)
  const closed = new Promise<number>((resolve) => ws.once('close', resolve))
  await once(ws, 'open')
  return { ws, received, closed }
}

export interface RawAddress {
  readonly port: number
  readonly path?: string
  readonly token?: string
}

/** The handshake, followed by arbitrary bytes. */
export async function openRawClient({ port, path = '/socket', token }: RawAddress) {
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined)
  const received: Buffer[] = []
  const all = () => Buffer.concat(received)
  socket.on('data', (chunk) => received.push(chunk))
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  while (!all().includes('\r\n\r\n')) await once(socket, 'data')
  const head = all().indexOf('\r\n\r\n') + 4
  return {
    socket,
    closed,
    send: (bytes: Uint8Array) => new Promise<void>((resolve) => socket.write(bytes, () => resolve())),
    /** The code of the last close frame; `null` if the connection was just cut. */
    async closeCode(): Promise<number | null> {
      await closed
      const frames = all().subarray(head)
      const at = frames.lastIndexOf(0x88)
      return at === -1 || frames.length < at + 4 ? null : frames.readUInt16BE(at + 2)
    },
  }
}

export interface RawFrame {
  /** FIN, the reserved bits and the opcode. */
  readonly first: number
  readonly payload?: Uint8Array
  readonly isMasked?: boolean
  /** The declared length of the frame, if not the real one. */
  readonly length?: number
}

export function rawFrame({ first, payload = new Uint8Array(), isMasked = true, length }: RawFrame): Buffer {
  const size = length ?? payload.byteLength
  const mask = isMasked ? 0x80 : 0
  const long = Buffer.alloc(8)
  long.writeBigUInt64BE(BigInt(size))
  const head =
    size < 126
      ? Buffer.from([first, mask | size])
      : size < 65_536
        ? Buffer.from([first, mask | 126, size >> 8, size & 0xff])
        : Buffer.concat([Buffer.from([first, mask | 127]), long])
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([head, isMasked ? Buffer.alloc(4) : Buffer.alloc(0), payload])
}
