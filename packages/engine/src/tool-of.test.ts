import type { AgentTool } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { toolOf } from './tool-of.ts'

const pay: AgentTool = { type: 'client', name: 'pay', description: '', isCritical: true, parameters: {} }

describe('toolOf', () => {
  const server = (name: string): AgentTool => ({
    ...{ type: 'mcp', name, description: name, isCritical: true, allowedTools: null, disallowedTools: [] },
    transport: { type: 'http', url: 'http://127.0.0.1', headers: [], terminateOnClose: true },
    ...{ connectTimeoutMs: 1, requestTimeoutMs: 1, onFailure: 'error', isRetrieval: false },
  })
  const skill: AgentTool = { type: 'skill', name: 'baking', description: '', isCritical: true, folder: '/skills' }
  const tools = [server('a'), server('a__b'), pay, skill]

  it.each([
    ['mcp__a__list', 'a'],
    ['mcp__a__b__list', 'a__b'],
    ['mcp__client__pay', 'pay'],
    ['mcp__tools__baking', 'baking'],
    ['mcp__tools__pay', undefined],
    ['Bash', undefined],
  ])('finds whose %s is', (toolName, name) => {
    expect(toolOf(toolName, tools)?.name).toBe(name)
  })
})
