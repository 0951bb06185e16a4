import {
  type AgentTool,
  type JsonObject,
  type PermissionMode,
  type PermissionRule,
  parseRule,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { claudeSettings, noTools } from '../testing/agent-definition.fixture.ts'
import { functionTool, stdioServer } from '../toolbox/testing/toolbox-harness.fixture.ts'
import { createPermissionCheck } from './permission-check.ts'
import { allSessionTools } from './tools/session-tools.ts'

const named = (name: string) => ({ name, description: '', isCritical: false })
const hostTools: readonly AgentTool[] = [
  functionTool('/lookup.ts'),
  functionTool('/lookup.ts', { name: 'Read' }),
  stdioServer('shop', []),
  stdioServer('shop__two', []),
  { type: 'skill', ...named('style'), folder: '/skill' },
  {
    type: 'prompt',
    ...named('shorten'),
    template: '',
    parameters: {},
    model: null,
    maxTokens: null,
    temperature: null,
  },
  {
    type: 'vectorstore',
    ...named('docs'),
    source: '/docs',
    records: null,
    chunkTokens: 512,
    chunkOverlap: 0,
    topK: 5,
    minScore: null,
    onFailure: 'error',
  },
]

interface Setting {
  readonly mode?: PermissionMode
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly disallowedTools?: string[]
  readonly session?: readonly PermissionRule[]
  readonly toolInput?: JsonObject
}

function check(toolName: string, setting: Setting = {}) {
  const { mode = 'manual', allow = [], deny = [], disallowedTools = [], session = [], toolInput = { id: 7 } } = setting
  const rules = (texts: readonly string[]) => texts.flatMap((text) => parseRule(text) ?? [])
  const { check: judge } = createPermissionCheck({
    sessionTools: allSessionTools,
    claude: claudeSettings('/', { ...noTools, disallowedTools }),
    cwd: '/',
    hiddenPaths: [],
    hostTools,
    approvals: { allow: rules(allow), deny: rules(deny), expiresAfterMs: null },
  })
  return judge({ toolName, toolInput }, { mode, sessionRules: session })
}

describe('the wider rules offered for an MCP call', () => {
  const other = { toolInput: { id: 8 } }

  it('are the tool and the server, each matching only its own calls', async () => {
    const asked = await check('mcp__shop__search')
    if (asked.type !== 'ask') throw new Error('the call was not asked for')
    expect(asked.widerRules).toEqual([
      { tool: 'mcp__shop__search', pattern: null },
      { tool: 'mcp__shop', pattern: null },
    ])
    const [tool, server] = asked.widerRules.map((rule) => [rule])
    const type = async (toolName: string, session: readonly PermissionRule[] = []) =>
      (await check(toolName, { ...other, session })).type
    expect(await type('mcp__shop__search', [asked.sessionRule])).toBe('ask')
    expect(await type('mcp__shop__search', tool)).toBe('allow')
    expect(await type('mcp__shop__search', server)).toBe('allow')
    expect(await type('mcp__shop__buy', tool)).toBe('ask')
    expect(await type('mcp__shop__buy', server)).toBe('allow')
    // A server whose name starts with the name of the allowed one.
    expect(await type('mcp__shop__two__buy', server)).toBe('ask')
    expect(await type('mcp__tools__lookup', server)).toBe('ask')
  })

  it('are only the tool for a function, and none for a search, whose rule already covers the tool', async () => {
    expect(await check('mcp__tools__lookup')).toMatchObject({
      widerRules: [{ tool: 'mcp__tools__lookup', pattern: null }],
    })
    expect(await check('mcp__tools__docs_search')).toMatchObject({ widerRules: [] })
  })
})

describe('a call of a tool in the agent file', () => {
  it('needs approval in manual and acceptEdits mode, is allowed in acceptAll mode and denied in plan mode', async () => {
    for (const toolName of [
      'mcp__tools__lookup',
      'mcp__shop__search',
      'mcp__tools__shorten',
      'mcp__tools__docs_search',
    ]) {
      for (const mode of ['manual', 'acceptEdits'] as const) {
        expect(await check(toolName, { mode })).toMatchObject({ type: 'ask' })
      }
      expect(await check(toolName, { mode: 'acceptAll' })).toMatchObject({ type: 'allow', input: { id: 7 } })
      expect(await check(toolName, { mode: 'plan' })).toMatchObject({ type: 'deny' })
    }
  })

  it.each([
    ['mcp__tools__lookup', ['lookup', 'mcp__tools__lookup', 'mcp__tools__*', 'lookup({"id":7})', '*']],
    ['mcp__shop__search', ['shop', 'mcp__shop', 'mcp__shop__*', 'mcp__shop__search', 'mcp__shop__s*']],
    ['mcp__tools__docs_search', ['docs', 'docs_search', 'mcp__tools__docs_search']],
    ['mcp__shop__delete_item', ['mcp__shop__delete.item', 'mcp__shop__delete.*', 'mcp__shop__delete_item']],
  ])('%s matches a rule with any of its names', async (toolName, rules) => {
    for (const rule of rules) {
      expect(await check(toolName, { allow: [rule] })).toMatchObject({
        type: 'allow',
        rule: `approvals.allow: ${rule}`,
      })
      expect(await check(toolName, { mode: 'acceptAll', deny: [rule] })).toMatchObject({ type: 'deny' })
    }
    for (const rule of ['look', 'other', 'mcp__other__*', 'lookup({"id":8})', 'Bash', 'search']) {
      expect(await check(toolName, { allow: [rule] })).toMatchObject({ type: 'ask' })
    }
  })

  it('matches only its full name if a backend tool has the same name', async () => {
    expect(await check('mcp__tools__Read', { allow: ['Read'] })).toMatchObject({ type: 'ask' })
    expect(await check('mcp__tools__Read', { allow: ['mcp__tools__Read'] })).toMatchObject({ type: 'allow' })
  })

  it('has effects and a session rule', async () => {
    expect(await check('mcp__tools__lookup')).toMatchObject({
      effects: ['read', 'write', 'network'],
      sessionRule: { tool: 'mcp__tools__lookup', pattern: '{"id":7}' },
    })
    expect(await check('mcp__tools__shorten')).toMatchObject({ effects: ['spend'] })
    const whole = { tool: 'mcp__tools__docs_search', pattern: null }
    expect(await check('mcp__tools__docs_search')).toMatchObject({ effects: ['read'], sessionRule: whole })
  })

  it('needs no approval if it only returns instructions, unless a rule denies it', async () => {
    for (const mode of ['manual', 'acceptEdits', 'acceptAll', 'plan'] as const) {
      expect(await check('mcp__tools__style', { mode })).toMatchObject({ type: 'allow' })
    }
    expect(await check('mcp__tools__style', { deny: ['style'] })).toMatchObject({ type: 'deny' })
  })

  it('is denied with the list of tools if the file does not name it or excludes it', async () => {
    for (const setting of [{ disallowedTools: ['lookup'] }, { disallowedTools: ['mcp__tools__lookup'] }]) {
      expect(await check('mcp__tools__lookup', { ...setting, mode: 'acceptAll' })).toMatchObject({ type: 'deny' })
    }
    expect(await check('mcp__other__x', { allow: ['*'] })).toMatchObject({
      message:
        'mcp__other__x is not available to this agent. It has: AskUserQuestion, mcp__tools__lookup, mcp__tools__Read, the ' +
        'tools of shop, the tools of shop__two, mcp__tools__style, mcp__tools__shorten, mcp__tools__docs_search.',
    })
  })
})
