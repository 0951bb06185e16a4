import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentTool } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { collectWarnings } from '../testing/warnings.fixture.ts'
import { searchToolName } from '../tool-names/host-tool-names.ts'
import { functionTool, openToolboxHarness, stdioServer } from './testing/toolbox-harness.fixture.ts'

const docs: AgentTool = {
  type: 'vectorstore',
  name: 'docs',
  description: '',
  isCritical: false,
  onFailure: 'error',
  source: '/docs',
  records: null,
  chunkTokens: 512,
  chunkOverlap: 0,
  topK: 5,
  minScore: null,
}

const hostTool = {
  name: searchToolName('docs'),
  description: 'searches',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, top_k: { type: 'integer', maximum: 100 } },
    required: ['query'],
  },
}

it('cancels opening a toolbox that is no longer needed, whatever it is waiting for', async () => {
  const stop = new AbortController()
  const silent = { type: 'stdio' as const, command: 'sleep', args: ['1000'], env: [], cwd: '/' }
  let dataDir = ''
  const opening = openToolboxHarness({
    signal: stop.signal,
    files: { 'lookup.ts': 'await new Promise(() => setInterval(() => {}, 1_000))\nexport const lookup = () => 1' },
    tools: (at) => {
      dataDir = join(at, '..', 'data')
      return [functionTool(join(at, 'lookup.ts')), stdioServer('silent', [], { transport: silent }), docs]
    },
    searchTools: (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  const records = () => (existsSync(join(dataDir, 'processes')) ? readdirSync(join(dataDir, 'processes')) : [])
  const called = expect(opening).rejects.toBe('nobody waits')
  await expect.poll(records).toHaveLength(2)
  stop.abort('nobody waits')
  await called
  // The worker process stays for the next session of this agent.
  expect(records()).toHaveLength(1)
}, 25_000)

it('opens a toolbox with many tools without a warning of Node', async () => {
  const warnings = collectWarnings()
  const names = Array.from({ length: 23 }, (_, index) => `lookup${index}`)
  const { toolbox } = await openToolboxHarness({
    files: { 'lookup.mjs': 'export const lookup = () => 1' },
    tools: (at) => names.map((name) => functionTool(join(at, 'lookup.mjs'), { name })),
  })
  expect(toolbox.list()).toHaveLength(23)
  expect(warnings).toEqual([])
})

it('a search tool passes on the query and the number of results, and reports a failure', async () => {
  const asked: unknown[] = []
  let closed = 0
  const { toolbox, call } = await openToolboxHarness({
    tools: () => [docs],
    searchTools: async () => [
      {
        hostTool,
        async search(query, options) {
          if (query === 'broken') throw new Error('the embedder does not answer')
          asked.push([query, options])
          return { text: 'found' }
        },
        close: async () => void closed++,
      },
    ],
  })
  expect(toolbox.list()).toEqual([hostTool])
  expect(await call(hostTool.name, { query: 'leave' })).toEqual({ output: 'found', isError: false })
  await call(hostTool.name, { query: 'leave', top_k: 2 })
  expect(asked).toEqual([
    ['leave', {}],
    ['leave', { topK: 2 }],
  ])
  expect(await call(hostTool.name, {})).toMatchObject({ isError: true })
  expect(await call(hostTool.name, { query: 'x', top_k: 1000 })).toMatchObject({ isError: true })
  const broken = { output: 'the embedder does not answer', isError: true }
  expect(await call(hostTool.name, { query: 'broken' })).toEqual(broken)
  expect(closed).toBe(0)
  await toolbox.close()
  expect(closed).toBe(1)
})

it('an agent without documents has no search tool', async () => {
  const { toolbox } = await openToolboxHarness({
    tools: () => [],
    searchTools: () => Promise.reject(new Error('asked')),
  })
  expect(toolbox.list()).toEqual([])
})
