import { PassThrough, Writable } from 'node:stream'
import { silentLogger } from '@quarterdeck/engine'
import { expect, it, onTestFinished } from 'vitest'
import type { RpcHost } from './rpc-host.ts'
import { servePipe } from './serve-pipe.ts'

function open(output: Writable, answer: RpcHost['call'] = async () => ({ page: 'x'.repeat(10_000) })) {
  const input = new PassThrough()
  const host: RpcHost = { call: answer, feed: async () => undefined }
  const pipe = servePipe({ input, output, host, ready: {}, logger: silentLogger })
  onTestFinished(pipe.close)
  return { input, pipe }
}

const call = (id: number, method = 'session.get') =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { sessionId: 'ses_00000001' } })}\n`

it('sees the end of its input while its answers are not read', async () => {
  const { input, pipe } = open(new Writable({ write: () => undefined }))
  for (let id = 0; id < 2000; id += 1) input.write(call(id))
  input.end()
  await pipe.ended
  let isSettled = false
  void pipe.settled().then(() => {
    isSettled = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isSettled).toBe(false)
})

it('is settled when every message is answered, with its input still open', async () => {
  let lines = 0
  const output = new Writable({
    write(_chunk, _encoding, done) {
      lines += 1
      setImmediate(done)
    },
  })
  let letGo: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let made = 0
  const { input, pipe } = open(output, async () => {
    made += 1
    await gate
    return {}
  })
  for (let id = 0; id < 10; id += 1) input.write(call(id, 'server.info'))
  await expect.poll(() => made).toBe(10)
  let isSettled = false
  const settled = pipe.settled().then(() => {
    isSettled = true
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(isSettled).toBe(false)
  letGo()
  await settled
  await expect.poll(() => lines).toBe(11)
})
