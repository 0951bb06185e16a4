import type { AgentTool } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { retrievalContext } from './retrieval-context.ts'

const common = { description: '', isCritical: false }
const vectorstore: AgentTool = {
  ...common,
  type: 'vectorstore',
  name: 'faq',
  source: 'faq',
  records: null,
  chunkTokens: 512,
  chunkOverlap: 0,
  topK: 5,
  minScore: null,
  onFailure: 'error',
}
const server = (name: string, isRetrieval: boolean): AgentTool => ({
  ...common,
  type: 'mcp',
  name,
  isRetrieval,
  allowedTools: null,
  disallowedTools: [],
  onFailure: 'error',
  connectTimeoutMs: 1,
  requestTimeoutMs: 1,
  transport: { type: 'stdio', command: 'x', args: [], env: [], cwd: '/' },
})

it('is what search tools and servers that count as such returned, failures left out', () => {
  const names = [
    'mcp__tools__faq_search',
    'mcp__wiki__page',
    'mcp__mail__send',
    'mcp__tools__faq_search',
    'mcp__tools__other',
  ]
  const toolCalls = names.map((name, index) => ({ name, arguments: {}, callId: `c${index}` }))
  const toolResults = names.map((_, index) => ({ callId: `c${index}`, result: `r${index}`, isError: index === 3 }))
  const tools = [vectorstore, server('wiki', true), server('mail', false)]
  expect(retrievalContext({ tools }, { toolCalls, toolResults })).toEqual(['r0', 'r1'])
})

it('of two servers whose names begin alike the one that is meant decides', () => {
  const tools = [server('wiki', true), server('wiki__mail', false)]
  const toolCalls = [{ name: 'mcp__wiki__mail__send', arguments: {}, callId: 'c0' }]
  const toolResults = [{ callId: 'c0', result: 'sent', isError: false }]
  expect(retrievalContext({ tools }, { toolCalls, toolResults })).toEqual([])
})
