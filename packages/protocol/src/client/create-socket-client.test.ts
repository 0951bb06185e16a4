import { expect, it, vi } from 'vitest'
import type { QuarterdeckError } from '../errors.ts'
import { createSocketClient } from './create-socket-client.ts'
import type { SocketLike } from './socket-connection.ts'

type Heard = (event: { readonly data: unknown }) => void

/** A server of this process that says what it is told to. */
function openLine() {
  let hear: Heard = () => undefined
  class Line implements SocketLike {
    addEventListener(type: string, listener: Heard & (() => void)): void {
      if (type === 'message') hear = listener
      if (type === 'open') queueMicrotask(listener)
    }
    send(text: string): void {
      const { id } = JSON.parse(text)
      say({ id, result: { sessions: [], nextCursor: null } })
    }
    close(): void {}
  }
  const say = (message: object) => hear({ data: JSON.stringify({ jsonrpc: '2.0', ...message }) })
  return { WebSocket: Line, say }
}

it('tells of an answer that the server did not take', async () => {
  const { WebSocket, say } = openLine()
  const onRefused = vi.fn<(error: QuarterdeckError) => void>()
  const client = createSocketClient({ baseUrl: 'http://127.0.0.1:4300', WebSocket, onRefused })
  await client.call('session.list').catch(() => undefined)
  const data = { type: 'x', title: 'Forbidden', status: 403, detail: 'may not decide here', code: 'auth.forbidden' }
  say({ method: 'request.refused', params: { id: 'ask-1', error: { code: -32_000, message: 'no', data } } })
  say({ method: 'request.refused', params: null })
  client.close()
  expect(onRefused.mock.calls).toMatchObject([
    [{ code: 'auth.forbidden', message: 'may not decide here' }],
    [{ code: 'request.invalid' }],
  ])
})

it.each([
  ['http://127.0.0.1:4300', 'ws://127.0.0.1:4300/v1/ws'],
  ['https://example.com/agents', 'wss://example.com/agents/v1/ws'],
  ['https://example.com/agents/', 'wss://example.com/agents/v1/ws'],
])('finds the server behind the path it was given: %s', async (baseUrl, address) => {
  const addresses: string[] = []
  class Line extends openLine().WebSocket {
    constructor(url: string) {
      super()
      addresses.push(url)
    }
  }
  const client = createSocketClient({ baseUrl, WebSocket: Line })
  await client.call('session.list').catch(() => undefined)
  client.close()
  expect(addresses).toEqual([address])
})

it('rejects a call that could not be sent as one without an answer', async () => {
  class Line extends openLine().WebSocket {
    override send(): void {
      throw new Error('it is not open')
    }
  }
  const client = createSocketClient({ baseUrl: 'http://127.0.0.1:4300', WebSocket: Line })
  await expect(client.call('session.list')).rejects.toMatchObject({ code: 'server.unreachable' })
  client.close()
})
