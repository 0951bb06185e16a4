import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type HttpListener, listen } from './listen.ts'

const listeners: HttpListener[] = []
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close(0)
})

async function open(): Promise<HttpListener> {
  const listener = await listen('127.0.0.1', 0)
  listeners.push(listener)
  return listener
}

async function connectTo({ port }: HttpListener): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  await once(socket, 'connect')
  return socket
}

const offer = (upgrade: string) => `GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: ${upgrade}\r\n\r\n`

it('survives a client that requests a WebSocket while the runtime opens, and disconnects before', async () => {
  const listener = await open()
  const gone = await connectTo(listener)
  gone.write(offer('websocket'))
  await new Promise((resolve) => setTimeout(resolve, 100)) // nothing answers yet, so nothing confirms that it was read
  gone.resetAndDestroy()
  await new Promise((resolve) => setTimeout(resolve, 100))
  listener.serve(
    () => undefined,
    (_request, connection) => connection.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  )
  const next = await connectTo(listener)
  next.write(offer('websocket'))
  expect((await once(next, 'data'))[0]).toContain('400')
})

it('keeps one watch per connection, however often its client offers another protocol', async () => {
  const listener = await open()
  const watching: number[] = []
  listener.serve(
    ({ socket }, response) => {
      watching.push(socket.listenerCount('close'))
      response.end('here')
    },
    () => undefined,
  )
  const client = await connectTo(listener)
  for (let asked = 0; asked < 4; asked += 1) {
    client.write(offer('h2c'))
    let answer = ''
    while (!answer.includes('here')) answer += (await once(client, 'data'))[0]
  }
  expect(new Set(watching).size).toBe(1)
  client.destroy()
})
