import type { AgentTool } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { claudeSettings } from '../testing/agent-definition.fixture.ts'
import { functionTool, stdioServer } from '../toolbox/testing/toolbox-harness.fixture.ts'
import { findHostTool, isHostToolOffered, isListed, mcpToolName, mcpTwinName, toolOf } from './host-tool-names.ts'

const skill: AgentTool = { type: 'skill', name: 'style', description: '', isCritical: false, folder: '/skill' }
const client: AgentTool = { type: 'client', name: 'show', description: '', isCritical: false, parameters: {} }
const tools = [functionTool('/lookup.ts'), stdioServer('shop', []), stdioServer('shop__eu', []), skill, client]

describe("a model's tool name", () => {
  it('maps back to the tool of the agent file', () => {
    expect(findHostTool(tools, 'mcp__tools__lookup')).toMatchObject({ name: 'lookup' })
    expect(findHostTool(tools, 'mcp__shop__search')).toMatchObject({ name: 'shop' })
    expect(findHostTool(tools, 'mcp__shop__eu__search')).toMatchObject({ name: 'shop__eu' })
    for (const name of ['lookup', 'mcp__tools__other', 'mcp__client__show', 'mcp__tools__show', 'mcp__other__x']) {
      expect(findHostTool(tools, name)).toBeNull()
    }
  })

  it('maps back to its server even when it is cut', () => {
    const server = stdioServer('x'.repeat(64), [])
    expect(findHostTool([server], mcpToolName(server.name, 'search'))).toBe(server)
  })

  it('of an MCP server contains only characters that every provider accepts', () => {
    expect(mcpToolName('shop', 'add item! (µ)')).toBe('mcp__shop__add_item_____')
    expect(mcpToolName('shop', '*')).toBe('mcp__shop___')
    expect(mcpToolName('shop', 'x'.repeat(100))).toHaveLength(64)
  })
})

describe('isHostToolOffered', () => {
  it.each([
    ['mcp__tools__lookup', 'lookup'],
    ['mcp__tools__lookup', 'mcp__tools__lookup'],
    ['mcp__tools__lookup', 'mcp__tools__*'],
    ['mcp__shop__search', 'shop'],
    ['mcp__shop__search', 'mcp__shop'],
    ['mcp__shop__search', 'mcp__shop__*'],
    ['mcp__shop__search', 'mcp__shop__search'],
  ])('finds %s by the entry %s', (name, entry) => {
    const offered = (change: Parameters<typeof claudeSettings>[1]) =>
      isHostToolOffered({ tools, claude: claudeSettings('/', change) }, name)
    expect(offered({})).toBe(true)
    expect(offered({ allowedTools: [entry] })).toBe(true)
    expect(offered({ allowedTools: ['Read'] })).toBe(false)
    expect(offered({ allowedTools: [entry], disallowedTools: [entry] })).toBe(false)
  })

  it("finds an MCP tool by the server's own spelling", () => {
    for (const own of ['delete.item', 'delete/item', 'delete item', 'x'.repeat(80), 'remove.many']) {
      for (const name of [mcpToolName('shop', own), mcpTwinName('shop', own)]) {
        expect(isListed(tools, [`mcp__shop__${own}`], name)).toBe(true)
        expect(isListed(tools, ['mcp__shop__other', 'mcp__other__*'], name)).toBe(false)
      }
    }
    expect(isListed(tools, ['mcp__shop__delete.*'], 'mcp__shop__delete_item')).toBe(true)
    expect(isListed(tools, ['mcp__shop__delete.item'], mcpTwinName('shop', 'delete_item'))).toBe(false)
  })

  it('finds nothing else', () => {
    for (const entry of ['look', 'tools', 'search', 'mcp__shop__sea', '*', 'mcp__shop__eu']) {
      expect(isListed(tools, [entry], 'mcp__shop__search')).toBe(false)
    }
  })
})

const pay: AgentTool = { type: 'client', name: 'pay', description: '', isCritical: true, parameters: {} }

describe('toolOf', () => {
  const server = (name: string): AgentTool => ({
    type: 'mcp',
    name,
    description: name,
    isCritical: true,
    allowedTools: null,
    disallowedTools: [],
    transport: { type: 'http', url: 'http://127.0.0.1', headers: [], terminateOnClose: true },
    connectTimeoutMs: 1,
    requestTimeoutMs: 1,
    onFailure: 'error',
    isRetrieval: false,
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
  ])('finds the tool of %s', (toolName, name) => {
    expect(toolOf(tools, toolName)?.name).toBe(name)
  })
})
