import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type Door, openDoor } from './open-door.ts'

const doors: Door[] = []
afterEach(async () => {
  for (const door of doors.splice(0)) await door.close(0)
})

async function open(): Promise<Door> {
  const door = await openDoor('127.0.0.1', 0)
  doors.push(door)
  return door
}

async function connectTo({ port }: Door): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  await once(socket, 'connect')
  return socket
}

const offer = (upgrade: string) => `GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: ${upgrade}\r\n\r\n`

it('outlives a client that asks for a WebSocket while the house opens, and is gone before it does', async () => {
  const door = await open()
  const gone = await connectTo(door)
  gone.write(offer('websocket'))
  await new Promise((resolve) => setTimeout(resolve, 100)) // nobody answers yet, so nothing says that it was read
  gone.resetAndDestroy()
  await new Promise((resolve) => setTimeout(resolve, 100))
  door.serve(
    () => undefined,
    (_request, connection) => connection.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  )
  const next = await connectTo(door)
  next.write(offer('websocket'))
  expect((await once(next, 'data'))[0]).toContain('400')
})

it('keeps one watch over a connection, however often its client offers another protocol', async () => {
  const door = await open()
  const watching: number[] = []
  door.serve(
    ({ socket }, response) => {
      watching.push(socket.listenerCount('close'))
      response.end('here')
    },
    () => undefined,
  )
  const client = await connectTo(door)
  for (let asked = 0; asked < 4; asked += 1) {
    client.write(offer('h2c'))
    let answer = ''
    while (!answer.includes('here')) answer += (await once(client, 'data'))[0]
  }
  expect(new Set(watching).size).toBe(1)
  client.destroy()
})
