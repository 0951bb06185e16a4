import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { rawFrame } from '../transports/socket.fixture.ts'
import { createUnfinishedMessages } from './unfinished-messages.ts'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
const unfinished = createUnfinishedMessages(100_000)
server.on('connection', (ws, request) => {
  unfinished.watch(ws, request.socket)
  ws.on('message', (data) => ws.send(String(data).length))
})
await once(server, 'listening')
afterAll(() => server.close())
const { port } = server.address() as AddressInfo // listening on TCP, so it has a port

async function openRaw() {
  const client = connect(port, '127.0.0.1')
  const head = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
  client.write(`${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`)
  await once(client, 'data')
  return client
}

const half = (bytes: number) => rawFrame({ first: 0x01, payload: Buffer.alloc(bytes, 'x') })

it('disconnects the client with the most unfinished bytes, and no client that finishes its messages', async () => {
  const neighbour = new WebSocket(`ws://127.0.0.1:${port}`)
  await once(neighbour, 'open')
  const [small, large] = [await openRaw(), await openRaw()]
  small.write(half(30_000))
  large.write(half(60_000))
  for (let count = 0; count < 20; count += 1) {
    neighbour.send('x'.repeat(8000))
    await once(neighbour, 'message')
  }
  expect(server.clients.size).toBe(3)
  small.write(rawFrame({ first: 0x00, payload: Buffer.alloc(20_000, 'x') }))
  await once(large, 'close')
  expect(server.clients.size).toBe(2)
  neighbour.close()
  small.destroy()
})
