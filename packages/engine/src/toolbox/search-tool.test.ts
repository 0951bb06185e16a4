import type { AgentTool } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { searchToolName } from '../tool-names/host-tool-names.ts'
import { openToolboxHarness } from './testing/toolbox-harness.fixture.ts'

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
