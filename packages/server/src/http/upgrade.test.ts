import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type Logger, silentLogger } from '@quarterdeck/engine'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { echo, openSocketServer } from '../transports/socket.fixture.ts'
import type { AppEnv } from './app-env.ts'
import { createUpgradeListener } from './upgrade.ts'

/** A WebSocket request without credentials. */
function requestFor(url: string): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  Object.assign(request, { url, headers: { host: '127.0.0.1', upgrade: 'websocket', connection: 'upgrade' } })
  return request
}

describe('a refused upgrade', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('leaves no connection behind, even if the client never closes its end', async () => {
    const server = await openSocketServer({ serve: echo })
    const client = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    client.resume()
    client.write('GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    await once(client, 'end')
    await expect.poll(server.connections).toBe(0)
    client.destroy()
    await server.close()
  })

  it('is not kept open by a client that does not read the answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const written: string[] = []
    const stuck = new Duplex({ read: () => undefined, write: (chunk) => void written.push(String(chunk)) })
    createUpgradeListener(new Hono<AppEnv>(), silentLogger)(requestFor('/nowhere'), stuck, Buffer.alloc(0))
    while (written.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(written[0]).toMatch(/^HTTP\/1.1 404 Not Found\r\n/)
    expect(stuck.destroyed).toBe(false)
    vi.runAllTimers()
    expect(stuck.destroyed).toBe(true)
  })

  it('is logged when the server failed', async () => {
    const app = new Hono<AppEnv>()
    app.onError((failure) => {
      throw failure
    })
    app.get('/broken', () => {
      throw new Error('broken')
    })
    const error = vi.fn<Logger['error']>()
    const connection = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
    createUpgradeListener(app, { ...silentLogger, error })(requestFor('/broken'), connection, Buffer.alloc(0))
    await once(connection, 'close')
    expect(error).toHaveBeenCalledOnce()
  })
})
