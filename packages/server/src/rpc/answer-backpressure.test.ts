// A peer that sends calls and does not read: the memory for its answers stays small.
import { expect, it, onTestFinished } from 'vitest'
import { openPeer } from './peer.fixture.ts'
import type { RpcHost } from './rpc-host.ts'

const asking = (id: number, method = 'session.events') => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { sessionId: 'ses_00000001' },
})

/** A host with long pages, over a connection without capacity. */
function open(pageLength: number) {
  let letGo: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let made = 0
  const host: RpcHost = {
    async call() {
      made += 1
      return { page: Buffer.alloc(pageLength, 'x').toString('latin1') }
    },
    feed: async () => undefined,
  }
  const peer = openPeer(host, { drained: () => gate })
  onTestFinished(() => peer.peer.close())
  return { ...peer, letGo: () => letGo(), made: () => made }
}

it('computes at most four long answers for it', async () => {
  const { sendMessage, sent, letGo, made } = open(4 * 1024 * 1024)
  const before = process.memoryUsage().heapUsed
  for (let id = 0; id < 40; id += 1) void sendMessage(asking(id))
  await expect.poll(made).toBe(4)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(made()).toBe(4)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024)
  letGo()
  await expect.poll(() => sent.length, { timeout: 20_000 }).toBe(40)
})

it('interleaves short calls with long ones, in the order they arrived', async () => {
  const { sendMessage, letGo, made, sent } = open(10)
  for (let id = 0; id < 3; id += 1) await sendMessage(asking(id))
  for (let id = 3; id < 19; id += 1) await sendMessage(asking(id, 'session.message'))
  await expect.poll(made).toBe(19)
  void sendMessage(asking(19))
  void sendMessage(asking(20, 'session.message'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(made()).toBe(19)
  letGo()
  await expect.poll(() => sent.length).toBe(21)
})

it('refuses the rest of a batch whose answers grow too long, each in its position', async () => {
  const { sendMessage, received, letGo, made } = open(1024 * 1024)
  letGo()
  await sendMessage(Array.from({ length: 100 }, (_, id) => asking(id)))
  await expect.poll(() => received().length, { timeout: 20_000 }).toBe(100)
  expect(made()).toBeLessThan(15)
  expect(received().map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, id) => id))
  const refused = received().filter(({ error }) => error !== undefined)
  expect(refused).toHaveLength(100 - made())
  expect(refused[0]?.error).toMatchObject({ code: -32_600, message: expect.stringContaining('by itself') })
})
