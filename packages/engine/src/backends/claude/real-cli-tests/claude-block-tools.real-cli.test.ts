// `claude:` of an agent file on the real CLI: the available tools, and the calls that need approval.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { openAgentHarness } from '../testing/agent-harness.fixture.ts'

const everything = `
  bash: { enabled: true }
  file_system: { read: true, write: true, edit: true }
  subagents: { enabled: true }`

const calls = [
  { name: 'Bash', input: { command: 'ls' } },
  { name: 'Read', input: { file_path: 'notes.txt' } },
  { name: 'Glob', input: { pattern: '*.txt' } },
  { name: 'Grep', input: { pattern: 'note' } },
  { name: 'Write', input: { file_path: 'new.txt', content: 'new' } },
  { name: 'Agent', input: { description: 'd', prompt: 'p', subagent_type: 'general-purpose' } },
]

const callEach = (): readonly ScenarioStep[] => [
  { when: { subagent: true }, repeat: true, then: { text: 'from below' } },
  { when: { text: 'all', calls: 0 }, then: { tools: calls } },
  { repeat: true, then: { text: 'done' } },
]

async function modeRuntime(mode: string | null) {
  const line = mode === null ? '' : `\n  permission_mode: ${mode}\n  i_understand_this_is_unsafe: true`
  return openAgentHarness({
    yaml: `claude:${line}${everything}`,
    files: { 'notes.txt': 'a note\n' },
    steps: callEach(),
  })
}

describe('claude.permission_mode', () => {
  it('claude.permission_mode: manual, the default, asks for every call that no rule allows before running it', async () => {
    const { prompt, agent, folder } = await modeRuntime(null)
    expect(agent.claude.permissionMode).toBe('manual')
    const { decideAll, results, of } = await prompt('all of it', 'waiting_approval')
    expect(await of('ToolExecuted')).toEqual([])
    expect([...(await decideAll('deny'))].sort()).toEqual(calls.map(({ name }) => name).sort())
    expect((await results()).map(({ isError }) => isError)).toEqual(calls.map(() => true))
    expect(existsSync(join(folder, 'new.txt'))).toBe(false)
  })

  it('claude.permission_mode: acceptEdits writes without asking and asks for everything else', async () => {
    const { prompt, folder } = await modeRuntime('acceptEdits')
    const { decideAll } = await prompt('all of it', 'waiting_approval')
    expect([...(await decideAll('deny'))].sort()).toEqual(['Agent', 'Bash', 'Glob', 'Grep', 'Read'])
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('new')
  })

  it('claude.permission_mode: acceptAll does not ask', async () => {
    const { prompt, folder } = await modeRuntime('acceptAll')
    const { of, results } = await prompt('all of it')
    expect(await of('ApprovalRequested')).toEqual([])
    expect((await results()).map(({ isError }) => isError)).toEqual(calls.map(() => false))
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('new')
  })

  it('claude.permission_mode: plan executes nothing and does not ask', async () => {
    const { prompt, folder } = await modeRuntime('plan')
    const { of, results } = await prompt('all of it')
    expect(await of('ApprovalRequested')).toEqual([])
    expect(await results()).toHaveLength(calls.length)
    for (const { result } of await results()) expect(result).toContain('plan mode')
    expect(existsSync(join(folder, 'new.txt'))).toBe(false)
  })
})

describe('the available tools', () => {
  const offers: readonly (readonly [string, string, readonly string[]])[] = [
    ['claude: without the block there are none', 'description: d', []],
    ['claude.bash.enabled: enables Bash', 'claude: { bash: { enabled: true } }', ['Bash']],
    [
      'claude.file_system.read: enables Read, Glob and Grep',
      'claude: { file_system: { read: true } }',
      ['Glob', 'Grep', 'Read'],
    ],
    ['claude.file_system.write: enables Write', 'claude: { file_system: { write: true } }', ['Write']],
    ['claude.file_system.edit: enables Edit', 'claude: { file_system: { edit: true } }', ['Edit']],
    ['claude.web_search: enables WebSearch', 'claude: { web_search: true }', ['WebSearch']],
    [
      'claude.subagents.enabled: enables subagents',
      'claude: { subagents: { enabled: true } }',
      ['Agent', 'SendMessage'],
    ],
    [
      'claude.allowed_tools: leaves only the tools it names',
      `claude:\n  allowed_tools: [Read, Write]${everything}`,
      ['Read', 'Write'],
    ],
    [
      'claude.disallowed_tools: removes the tools it names',
      `claude:\n  disallowed_tools: [Bash, Grep, Task, AskUserQuestion]${everything}`,
      ['Edit', 'Glob', 'Read', 'Write'],
    ],
  ]

  it.each(offers)('%s', async (_, yaml, expected) => {
    const absent = {
      tools: [
        {
          name: expected.includes('Bash') ? 'Write' : 'Bash',
          input: { command: 'touch x', file_path: 'x', content: '' },
        },
      ],
    }
    const { prompt, harness, folder } = await openAgentHarness({
      yaml,
      steps: [
        { when: { text: 'go' }, then: absent },
        { repeat: true, then: { text: 'done' } },
      ],
    })
    const { ended } = await prompt('go')
    const offered = (harness.requests()[0]?.tools ?? []).map(({ name }) => name).sort()
    expect(offered.filter((name) => name !== 'AskUserQuestion')).toEqual(expected)
    expect((await ended()).result.toolResults).toEqual([expect.objectContaining({ isError: true })])
    expect(existsSync(join(folder, 'x'))).toBe(false)
  })
})
