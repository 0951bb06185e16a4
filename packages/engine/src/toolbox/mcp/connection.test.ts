import { setImmediate } from 'node:timers/promises'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it, onTestFinished } from 'vitest'
import { unattendedOptions } from '../../backends/contract/unattended-options.contract.ts'
import { connect } from './connection.ts'

/** A server whose list waits for the test, once it is asked for again. */
async function open(onTold: () => void = () => undefined) {
  let listings = 0
  let wait: Promise<void> = Promise.resolve()
  let release: () => void = () => undefined
  const { server } = new McpServer({ name: 'busy', version: '1' }, { capabilities: { tools: { listChanged: true } } })
  server.setRequestHandler(ListToolsRequestSchema, async () => {
    listings += 1
    const name = `tool${listings}`
    await wait
    return { tools: [{ name, inputSchema: { type: 'object' as const } }] }
  })
  const [mine, transport] = InMemoryTransport.createLinkedPair()
  await server.connect(mine)
  const told: string[][] = []
  const troubles: unknown[] = []
  const connection = await connect({
    server: 'busy',
    transport,
    questions: unattendedOptions.questions,
    signal: new AbortController().signal,
    connectTimeoutMs: 60_000,
    requestTimeoutMs: 60_000,
    onTools: (tools) => {
      told.push(tools.map(({ name }) => name))
      onTold()
    },
    onLost: () => undefined,
    onConnectionError: (error) => void troubles.push(error),
    onOmitted: () => undefined,
  })
  onTestFinished(connection.close)
  return {
    server,
    told,
    troubles,
    listings: () => listings,
    release: () => release(),
    hold: () => (wait = new Promise((resolve) => (release = resolve))),
  }
}

it('a server that says again and again that its list has changed is asked once more when the answer is there', async () => {
  const { server, told, listings, hold, release } = await open()
  void hold()
  for (let times = 0; times < 50; times += 1) await server.sendToolListChanged()
  await expect.poll(listings).toBe(2)
  for (let times = 0; times < 50; times += 1) await server.sendToolListChanged()
  release()
  // What it had to say after it was asked is not lost.
  await expect.poll(() => told).toEqual([['tool2'], ['tool3']])
  await server.sendToolListChanged()
  await expect.poll(() => told.at(-1)).toEqual(['tool4'])
  expect(listings()).toBe(4)
})

it('a server that never stops saying so is asked less and less often', async () => {
  const { server, listings } = await open()
  const begun = performance.now()
  while (performance.now() - begun < 1_200) {
    for (let times = 0; times < 50; times += 1) await server.sendToolListChanged()
    await setImmediate()
  }
  // At once, then after 250 ms, 500 ms, a second and so on; and once for the greeting.
  const most = 2 + Math.log2(1 + (performance.now() - begun) / 250)
  expect(listings()).toBeGreaterThan(2)
  expect(listings()).toBeLessThanOrEqual(most)
})

it('a list that cannot be taken is trouble of its server, and the next one is asked for all the same', async () => {
  const { server, told, troubles } = await open(() => {
    throw new Error('nested too deep')
  })
  await server.sendToolListChanged()
  await expect.poll(() => troubles).toEqual([new Error('nested too deep')])
  await server.sendToolListChanged()
  await expect.poll(() => told).toEqual([['tool2'], ['tool3']])
})
