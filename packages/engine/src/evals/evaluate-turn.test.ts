import type { AgentTool } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { retrievalContext } from './evaluate-turn.ts'

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

describe('retrievalContext', () => {
  it('collects successful results of search tools and of MCP servers marked is_retrieval', () => {
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

  it('tells two MCP servers apart when one name is a prefix of the other', () => {
    const tools = [server('wiki', true), server('wiki__mail', false)]
    const toolCalls = [{ name: 'mcp__wiki__mail__send', arguments: {}, callId: 'c0' }]
    const toolResults = [{ callId: 'c0', result: 'sent', isError: false }]
    expect(retrievalContext({ tools }, { toolCalls, toolResults })).toEqual([])
  })
})
