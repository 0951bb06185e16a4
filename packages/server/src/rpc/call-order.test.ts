// Calls of one peer about one session run in the order they were sent, however long each takes.
import { expect, it, onTestFinished } from 'vitest'
import { openPeer } from './peer.fixture.ts'
import type { RpcHost } from './rpc-host.ts'

const one = 'ses_00000001'
const other = 'ses_00000002'

function open() {
  const made: string[] = []
  const waits = new Map<string, () => void>()
  const host: RpcHost = {
    async call(method, params) {
      const name = String(params.content ?? method)
      if (name.startsWith('slow')) await new Promise<void>((resolve) => waits.set(name, resolve))
      made.push(name)
      if (name === 'fails') throw new Error('no')
      return {}
    },
    feed: async () => undefined,
  }
  const peer = openPeer(host)
  onTestFinished(() => peer.peer.close())
  let id = 0
  const send = (method: string, params: object) => {
    id += 1
    return peer.sendMessage({ jsonrpc: '2.0', id, method, params })
  }
  const message = (sessionId: string, content: string) => send('session.message', { sessionId, content })
  return { ...peer, send, message, made, letGo: (name: string) => waits.get(name)?.() }
}

it('runs calls of one session in order and of other sessions concurrently, and continues after a failure', async () => {
  const { message, send, made, letGo, sent } = open()
  await message(one, 'slow one')
  await message(one, 'fails')
  await message(one, 'third')
  await send('session.interrupt', { sessionId: one })
  await message(other, 'beside')
  await send('session.get', { sessionId: one })
  await expect.poll(() => made.length).toBe(2)
  expect(made).toEqual(['beside', 'session.get'])
  letGo('slow one')
  await expect.poll(() => sent.length).toBe(6)
  expect(made).toEqual(['beside', 'session.get', 'slow one', 'fails', 'third', 'session.interrupt'])
})
