import type { QuarterdeckError } from '@quarterdeck/protocol'
import { expect, it, vi } from 'vitest'
import { createSocketClient } from './create-socket-client.ts'
import type { SocketLike } from './socket/socket-connection.ts'

type MessageListener = (event: { readonly data: unknown }) => void

/** A server in this process with scripted answers. */
function openFakeSocket() {
  let deliver: MessageListener = () => undefined
  class FakeSocket implements SocketLike {
    addEventListener(type: string, listener: MessageListener & (() => void)): void {
      if (type === 'message') deliver = listener
      if (type === 'open') queueMicrotask(listener)
    }
    send(text: string): void {
      const { id } = JSON.parse(text)
      emit({ id, result: { sessions: [], nextCursor: null } })
    }
    close(): void {}
  }
  const emit = (message: object) => deliver({ data: JSON.stringify({ jsonrpc: '2.0', ...message }) })
  return { WebSocket: FakeSocket, emit }
}

it('reports an answer that the server refused', async () => {
  const { WebSocket, emit } = openFakeSocket()
  const onRefused = vi.fn<(error: QuarterdeckError) => void>()
  const client = createSocketClient({ baseUrl: 'http://127.0.0.1:4300', WebSocket, onRefused })
  await client.call('session.list').catch(() => undefined)
  const data = { type: 'x', title: 'Forbidden', status: 403, detail: 'may not decide here', code: 'auth.forbidden' }
  emit({ method: 'request.refused', params: { id: 'ask-1', error: { code: -32_000, message: 'no', data } } })
  emit({ method: 'request.refused', params: null })
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
])('connects below the path of the base URL: %s', async (baseUrl, address) => {
  const addresses: string[] = []
  class FakeSocket extends openFakeSocket().WebSocket {
    constructor(url: string) {
      super()
      addresses.push(url)
    }
  }
  const client = createSocketClient({ baseUrl, WebSocket: FakeSocket })
  await client.call('session.list').catch(() => undefined)
  client.close()
  expect(addresses).toEqual([address])
})

it('rejects a call that could not be sent with server.unreachable', async () => {
  class FakeSocket extends openFakeSocket().WebSocket {
    override send(): void {
      throw new Error('it is not open')
    }
  }
  const client = createSocketClient({ baseUrl: 'http://127.0.0.1:4300', WebSocket: FakeSocket })
  await expect(client.call('session.list')).rejects.toMatchObject({ code: 'server.unreachable' })
  client.close()
})
