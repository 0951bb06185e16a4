// `claude:`, `model:`, `instructions:` and `limits:` of an agent file on the real CLI, verified by the requests to the
// model.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { errorReasons } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { type AgentHarness, openAgentHarness } from '../testing/agent-harness.fixture.ts'

const answering: readonly ScenarioStep[] = [{ repeat: true, then: { text: 'done' } }]

async function requestFor(yaml: string, files: Readonly<Record<string, string>> = {}) {
  const opened = await openAgentHarness({ yaml, files, steps: answering })
  const { ended } = await opened.prompt('hi')
  expect((await ended()).outcome).toBe('completed')
  return recordedRequest(opened)
}

function recordedRequest({ harness }: AgentHarness) {
  const request = harness.requests().find(({ messages }) => JSON.stringify(messages).includes('hi'))
  if (request === undefined) throw new Error('the model was not asked')
  return { ...request, text: JSON.stringify(request.messages), system: JSON.stringify(request.system ?? '') }
}

/** Several tests check the same request; the first of them makes it. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null
  return () => {
    made ??= make()
    return made
  }
}

describe('the model request', () => {
  const plainly = once(() =>
    requestFor('instructions: { inline: You sort tickets. }', { 'CLAUDE.md': 'canary-of-claude-md' }),
  )
  const thoughtfully = once(() =>
    requestFor(`
model: { provider: simulator, name: claude-opus-4-5-20251101, max_tokens: 9000 }
claude: { extended_thinking: { enabled: true, budget_tokens: 4000 }, effort: low }`),
  )

  it('instructions.inline: is the whole system prompt', async () => {
    const { system } = await plainly()
    expect(system).toContain('You sort tickets.')
    expect(system).not.toContain('software engineering')
  })

  it('instructions.preset: is the prompt of the CLI, followed by instructions.append:', async () => {
    const { system } = await requestFor('instructions: { preset: claude_code, append: And sort tickets. }')
    expect(system).toContain('And sort tickets.')
    expect(system).toContain('software engineering')
  })

  it('model.name: is the requested model', async () => {
    expect((await plainly()).model).toBe('claude-sonnet-4-5-20250929')
    expect((await thoughtfully()).model).toBe('claude-opus-4-5-20251101')
  })

  it('model.max_tokens: is the limit of an answer', async () => {
    expect((await thoughtfully()).max_tokens).toBe(9000)
  })

  it('claude.extended_thinking.enabled: enables thinking, which is off by default', async () => {
    expect((await thoughtfully()).thinking?.type).toBe('enabled')
    expect((await plainly()).thinking?.type).toBe('disabled')
  })

  it('claude.extended_thinking.budget_tokens: is the thinking budget of the request', async () => {
    expect((await thoughtfully()).thinking?.budget_tokens).toBe(4000)
  })

  it('claude.effort: is in the request only if it is set', async () => {
    expect((await thoughtfully()).output_config?.effort).toBe('low')
    expect((await plainly()).output_config?.effort).toBeUndefined()
  })

  it('claude.setting_sources: loads CLAUDE.md of the working directory only if the project is listed', async () => {
    const { text } = await requestFor('claude: { setting_sources: [project] }', { 'CLAUDE.md': 'canary-of-claude-md' })
    expect(text).toContain('canary-of-claude-md')
    expect((await plainly()).text).not.toContain('canary-of-claude-md')
  })

  it('claude.setting_sources: never runs a program of a settings file or grants a permission beyond the mode', async () => {
    const touch = (name: string) => ({ type: 'command', command: `touch ${name}` })
    const hooks = {
      SessionStart: [{ hooks: [touch('started')] }],
      PreToolUse: [{ matcher: '*', hooks: [touch('hooked')] }],
    }
    const permissions = { allow: ['Bash', 'Bash(*)'], defaultMode: 'bypassPermissions' }
    const settings = JSON.stringify({ hooks, permissions, apiKeyHelper: 'touch helped; echo key' })
    const opened = await openAgentHarness({
      yaml: 'claude: { setting_sources: [project, local], bash: { enabled: true } }',
      files: { '.claude/settings.json': settings, '.claude/settings.local.json': settings },
      steps: [
        { when: { text: 'hi', calls: 0 }, then: { tools: [{ name: 'Bash', input: { command: 'touch trace' } }] } },
        ...answering,
      ],
    })
    const { decideAll } = await opened.prompt('hi', 'waiting_approval')
    expect(await decideAll('deny')).toEqual(['Bash'])
    const left = ['trace', 'started', 'hooked', 'helped'].filter((name) => existsSync(join(opened.folder, name)))
    expect(left).toEqual([])
  })

  it('claude.fallback_model: answers while the main model is overloaded', async () => {
    const opened = await openAgentHarness({
      yaml: 'claude: { fallback_model: claude-haiku-4-5 }',
      steps: [
        { when: { model: 'sonnet' }, repeat: true, then: { fault: { type: 'status', status: 529 } } },
        { repeat: true, then: { text: 'from the other' } },
      ],
      maxRetries: 4,
    })
    const { ended, of } = await opened.prompt('hi')
    expect((await ended()).result.response).toBe('from the other')
    expect(await of('ModelFellBack')).toHaveLength(1)
    expect(opened.harness.requests().at(-1)?.model).toContain('haiku')
  })
})

describe('limits', () => {
  const looping: readonly ScenarioStep[] = [
    { repeat: true, then: { tools: [{ name: 'Bash', input: { command: 'true' } }], usage: { input_tokens: 100_000 } } },
  ]
  const busy = `claude:
  permission_mode: acceptAll
  i_understand_this_is_unsafe: true
  bash: { enabled: true }
  `

  it('claude.max_turns: ends the turn and takes precedence over a higher limits.max_turns', async () => {
    const opened = await openAgentHarness({ yaml: `${busy}max_turns: 2\nlimits: { max_turns: 9 }`, steps: looping })
    const { ended } = await opened.prompt('hi', 'stopped_turns')
    expect(await ended()).toMatchObject({ outcome: 'turn_limit', result: { errorReason: errorReasons.maxTurns } })
    expect(opened.harness.requests().filter(({ tools }) => (tools ?? []).length > 0)).toHaveLength(2)
  })

  it('claude.max_budget_usd: ends the turn when the budget is spent', async () => {
    const opened = await openAgentHarness({ yaml: `${busy}max_budget_usd: 0.5`, steps: looping })
    const { ended } = await opened.prompt('hi', 'stopped_budget')
    expect(await ended()).toMatchObject({ outcome: 'budget_limit', result: { errorReason: errorReasons.budget } })
    expect(opened.harness.requests().length).toBeLessThan(5)
  })
})

describe('subagents', () => {
  const team = `claude:
  permission_mode: acceptAll
  i_understand_this_is_unsafe: true
  file_system: { read: true }
  bash: { enabled: true }
  subagents: { max_parallel: 2 }
  agents:
    clerk:
      description: Files what comes in.
      prompt_file: clerk.md
      tools: [Read, Write]
      model: haiku
    guard:
      description: Watches the door.
      prompt: You are the guard.`
  const files = { 'clerk.md': 'You are the clerk.' }
  const call = (subagent_type: string) => ({
    name: 'Agent',
    input: { description: 'd', prompt: 'work', subagent_type },
  })

  const asked = once(async () => {
    const opened = await openAgentHarness({
      yaml: team,
      files,
      steps: [
        { when: { subagent: true }, repeat: true, then: { text: 'from below' } },
        { when: { text: 'hi', calls: 0 }, then: { tools: [call('clerk'), call('guard')] } },
        { repeat: true, then: { text: 'done' } },
      ],
    })
    await opened.prompt('hi')
    const all = opened.harness.requests()
    const having = (words: string) => all.find(({ system }) => JSON.stringify(system ?? '').includes(words))
    return { lead: JSON.stringify(all[0]), clerk: having('You are the clerk.'), guard: having('You are the guard.') }
  })

  it('claude.agents.*.description: is sent to the lead', async () => {
    expect((await asked()).lead).toContain('Files what comes in.')
  })

  it('claude.agents.*.prompt: and claude.agents.*.prompt_file: are its system prompt', async () => {
    expect(await asked()).toMatchObject({ clerk: expect.anything(), guard: expect.anything() })
  })

  it('claude.agents.*.tools: limits the tools of the subagent, which never exceed those of the lead', async () => {
    const { clerk, guard } = await asked()
    expect(clerk?.tools?.map(({ name }) => name)).toEqual(['Read'])
    expect(guard?.tools?.map(({ name }) => name)).toEqual(expect.arrayContaining(['Bash', 'Glob', 'Grep', 'Read']))
  })

  it('claude.agents.*.model: sets the model of the subagent, by default the lead’s', async () => {
    const { clerk, guard } = await asked()
    expect([clerk?.model, guard?.model]).toEqual([expect.stringContaining('haiku'), expect.stringContaining('sonnet')])
  })

  it('claude.subagents.max_parallel: refuses an extra subagent until another one has ended', async () => {
    const opened = await openAgentHarness({
      yaml: team,
      files,
      steps: [
        {
          when: { subagent: true, calls: 0 },
          repeat: true,
          then: { tools: [{ name: 'Bash', input: { command: 'sleep 0.3; true' } }] },
        },
        { when: { subagent: true }, repeat: true, then: { text: 'from below' } },
        { when: { text: 'hi', calls: 0 }, then: { tools: [call('guard'), call('guard'), call('guard')] } },
        { when: { tool_result: { name: 'Agent', is_error: true }, calls: 3 }, then: { tools: [call('guard')] } },
        { repeat: true, then: { text: 'done' } },
      ],
    })
    const { results, of } = await opened.prompt('hi')
    const lead = (await results()).filter(({ name }) => name === 'Agent')
    expect(lead.filter(({ isError }) => isError)).toMatchObject([
      { result: expect.stringContaining('At most 2 subagents may work at the same time') },
    ])
    expect(lead).toHaveLength(4)
    expect(await of('SubagentStarted')).toHaveLength(3)
  })
})
