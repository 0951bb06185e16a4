import { setImmediate } from 'node:timers/promises'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it, onTestFinished } from 'vitest'
import { unattendedOptions } from '../../backends/contract/unattended-options.contract.ts'
import { connect } from './connection.ts'

/** A server whose second tool list waits for the test. */
async function open(onListed: () => void = () => undefined) {
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
  const listed: string[][] = []
  const troubles: unknown[] = []
  const connection = await connect({
    server: 'busy',
    transport,
    questions: unattendedOptions.questions,
    signal: new AbortController().signal,
    connectTimeoutMs: 60_000,
    requestTimeoutMs: 60_000,
    onTools: (tools) => {
      listed.push(tools.map(({ name }) => name))
      onListed()
    },
    onLost: () => undefined,
    onConnectionError: (error) => void troubles.push(error),
    onOmitted: () => undefined,
  })
  onTestFinished(connection.close)
  return {
    server,
    listed,
    troubles,
    listings: () => listings,
    release: () => release(),
    hold: () => (wait = new Promise((resolve) => (release = resolve))),
  }
}

it('lists the tools once more, after the pending answer, when a server reports many changes', async () => {
  const { server, listed, listings, hold, release } = await open()
  void hold()
  for (let times = 0; times < 50; times += 1) await server.sendToolListChanged()
  await expect.poll(listings).toBe(2)
  for (let times = 0; times < 50; times += 1) await server.sendToolListChanged()
  release()
  // A change that arrives after the request is not lost.
  await expect.poll(() => listed).toEqual([['tool2'], ['tool3']])
  await server.sendToolListChanged()
  await expect.poll(() => listed.at(-1)).toEqual(['tool4'])
  expect(listings()).toBe(4)
})

it('lists the tools less and less often while a server keeps reporting changes', async () => {
  const { server, listings } = await open()
  const begun = performance.now()
  while (performance.now() - begun < 1_200) {
    for (let times = 0; times < 50; times += 1) await server.sendToolListChanged()
    await setImmediate()
  }
  // At once, then after 250 ms, 500 ms, a second and so on; plus once for the handshake.
  const most = 2 + Math.log2(1 + (performance.now() - begun) / 250)
  expect(listings()).toBeGreaterThan(2)
  expect(listings()).toBeLessThanOrEqual(most)
})

it('reports a list that is not valid and still requests the next one', async () => {
  const { server, listed, troubles } = await open(() => {
    throw new Error('nested too deep')
  })
  await server.sendToolListChanged()
  await expect.poll(() => troubles).toEqual([new Error('nested too deep')])
  await server.sendToolListChanged()
  await expect.poll(() => listed).toEqual([['tool2'], ['tool3']])
})
