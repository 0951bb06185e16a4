import { type AgentDefinition, type AgentHook, modelCatalog } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { claudeSettings, noSecrets, testAgent } from '../testing/agent-definition.fixture.ts'
import { functionTool, stdioServer } from '../toolbox/testing/toolbox-harness.fixture.ts'
import { guardUnsandboxed } from './guard-unsandboxed.ts'
import type { Isolation } from './sandbox-command.ts'

const nothing: Isolation = {
  pidNamespace: false,
  ownProc: false,
  hidesFiles: false,
  guardsMachine: false,
  prefix: [],
  dropRights: [],
  why: 'no namespaces here',
}
const script: AgentHook['action'] = { type: 'script', command: './check.sh', args: [], env: [], cwd: '/', timeoutMs: 1 }
const silent = testAgent('/', { claude: claudeSettings('/', { allowedTools: ['Read'] }) })

function load(change: Partial<AgentDefinition>, { isolation = nothing, isAllowed = false } = {}) {
  const registry = {
    list: async () => [],
    load: async () => ({ ...silent, ...change }),
    catalog: async () => modelCatalog,
  }
  return guardUnsandboxed({ ...registry, ...noSecrets }, { isolation: async () => isolation, isAllowed }).load('tester')
}

describe('an agent that cannot be sandboxed', () => {
  it.each<[string, Partial<AgentDefinition>, string]>([
    ['a shell', { claude: claudeSettings('/', { allowedTools: ['Bash'] }) }, 'a shell (Bash)'],
    ['a function', { tools: [functionTool('/lookup.ts')] }, 'the function lookup (/lookup.ts, lookup)'],
    ['an MCP command', { tools: [stdioServer('shop', ['shop.mjs'])] }, 'the MCP server shop ('],
    ['a hook script', { hooks: [{ event: 'Stop', matcher: null, action: script }] }, 'the hook at Stop (./check.sh)'],
  ])('is refused if it has %s, with an error that names it and the flag', async (_, change, named) => {
    const refused = { code: 'agent.unsandboxed', message: expect.stringContaining(named) }
    await expect(load(change)).rejects.toMatchObject(refused)
    await expect(load(change)).rejects.toThrow(/no namespaces here.*--allow-unsandboxed/)
    expect(await load(change, { isAllowed: true })).toMatchObject(change)
    expect(await load(change, { isolation: { ...nothing, why: null } })).toMatchObject(change)
  })

  it('starts when it runs no program', async () => {
    expect(await load({})).toEqual(silent)
  })
})
