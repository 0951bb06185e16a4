import { rm, stat } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { AgentSummary } from '@quarterdeck/protocol'
import { describe, expect, it, vi } from 'vitest'
import { madeUpKey, minimalAgent, type TempProject, tempProject } from '../testing/temp-project.ts'
import { clockGrainMs, createAgentRegistry, type FileAgentRegistry } from './agent-registry.ts'

const named = (name: string): string => minimalAgent.replace('triage', name)

const registryOf = (project: TempProject, ...paths: string[]): FileAgentRegistry =>
  createAgentRegistry({ ...project.options, paths: paths.length === 0 ? ['.'] : paths })

const namesOn = async (registry: FileAgentRegistry): Promise<string[]> =>
  (await registry.list()).map(({ name }) => name).toSorted()

describe('finding agents', () => {
  it('searches folders and skips those of other tools', async () => {
    const project = await tempProject({
      'agent.yaml': named('root'),
      'deep/er/agent.yml': named('deep'),
      'more/coder.agent.yaml': named('coder'),
      'more/notes.yaml': 'not: an agent',
      'node_modules/x/agent.yaml': named('dependency'),
      '.git/agent.yaml': named('git'),
      '.quarterdeck/w/agent.yaml': named('copy'),
      'dist/agent.yaml': named('built'),
    })
    expect(await namesOn(registryOf(project))).toEqual(['coder', 'deep', 'root'])
  })

  it('accepts a named file with any name, and each file once', async () => {
    const project = await tempProject({ 'odd.yaml': named('odd'), 'a/agent.yaml': named('a') })
    expect(await namesOn(registryOf(project, 'odd.yaml', 'a', 'a/agent.yaml'))).toEqual(['a', 'odd'])
  })

  it('returns nothing for an empty folder', async () => {
    const registry = registryOf(await tempProject())
    expect(await registry.list()).toEqual([])
    await expect(registry.load('x')).rejects.toMatchObject({
      code: 'agent.not-found',
      message: expect.stringContaining('No agent file'),
    })
  })

  it('lists a missing path with its problem', async () => {
    const registry = registryOf(await tempProject(), 'gone/agent.yaml')
    expect(await registry.list()).toEqual([
      expect.objectContaining({ name: 'gone', problems: ['gone/agent.yaml:1:1 error: there is no such file'] }),
    ])
  })
})

describe('list', () => {
  it('describes each agent', async () => {
    const text = `${named('one')}description: First\nstarters: [Go]\nclaude: {permission_mode: plan}\n`
    const project = await tempProject({ 'agent.yaml': text })
    const list = await registryOf(project).list()
    expect(list).toEqual([
      {
        name: 'one',
        description: 'First',
        file: project.path('agent.yaml'),
        model: 'claude-sonnet-4-5-20250929',
        modelSource: 'provider',
        permissionMode: 'plan',
        starters: ['Go'],
        problems: [],
      },
    ])
    expect(AgentSummary.array().parse(list)).toEqual(list)
  })

  it('keeps broken files with their errors, under the best known name', async () => {
    const project = await tempProject({
      'good/agent.yaml': named('good'),
      'typo/agent.yaml': `${named('typing')}toools: []\n`,
      '9 lives/agent.yaml': 'a: [',
    })
    const list = await registryOf(project).list()
    expect(AgentSummary.array().parse(list)).toHaveLength(3)
    expect(list.find(({ name }) => name === 'typing')?.problems).toEqual([
      'typo/agent.yaml:7:1 error: unknown key "toools". Did you mean "tools"?',
    ])
    expect(list.find(({ name }) => name === 'agent-9-lives')?.problems[0]).toContain('not valid YAML')
    expect(list.find(({ name }) => name === 'good')?.problems).toEqual([])
  })

  it('excludes warnings, which problems() returns', async () => {
    const project = await tempProject({ 'agent.yaml': `${minimalAgent}claude: {permission_mode: acceptAll}\n` })
    const registry = registryOf(project)
    expect((await registry.list())[0]?.problems).toEqual([])
    expect(await registry.problems()).toEqual([expect.objectContaining({ code: 'config.unsafe' })])
  })
})

describe('load', () => {
  it('suggests the nearest name', async () => {
    const registry = registryOf(await tempProject({ 'agent.yaml': minimalAgent }))
    await expect(registry.load('triag')).rejects.toMatchObject({
      code: 'agent.not-found',
      message: 'there is no agent "triag". Did you mean "triage"?',
    })
  })

  it('throws every error of a broken file', async () => {
    const registry = registryOf(await tempProject({ 'agent.yaml': `${minimalAgent}a: 1\nb: 2\n` }))
    await expect(registry.load('triage')).rejects.toMatchObject({
      code: 'config.invalid',
      message: 'agent.yaml:7:1 error: unknown key "a"\nagent.yaml:8:1 error: unknown key "b"',
    })
  })

  it('throws a missing credential with its own code', async () => {
    const registry = registryOf(await tempProject({ 'agent.yaml': minimalAgent }, {}))
    await expect(registry.load('triage')).rejects.toMatchObject({ code: 'config.missing-credential' })
  })

  it('returns the first of two files with the same name and reports the second', async () => {
    const project = await tempProject({ 'a/agent.yaml': minimalAgent, 'b/agent.yaml': minimalAgent })
    const registry = registryOf(project)
    expect((await registry.load('triage')).file).toBe(project.path('a/agent.yaml'))
    expect(await registry.problems()).toEqual([
      expect.objectContaining({ code: 'config.duplicate-name', file: project.path('b/agent.yaml') }),
    ])
  })

  it('keeps a name with its file when a new file sorts before it', async () => {
    const project = await tempProject({ 'z/agent.yaml': named('x') })
    const registry = registryOf(project)
    expect((await registry.load('x')).file).toBe(project.path('z/agent.yaml'))
    await project.write('a/agent.yaml', named('x'))
    expect((await registry.list()).map(({ file, problems }) => [file, problems.length])).toEqual([
      [project.path('a/agent.yaml'), 1],
      [project.path('z/agent.yaml'), 0],
    ])
    expect((await registry.load('x')).file).toBe(project.path('z/agent.yaml'))
  })
})

describe('a change on disk', () => {
  it.each([
    ['the agent file', 'agent.yaml', minimalAgent.replace('high', 'low')],
    ['the instructions', 'prompt.md', 'Two.'],
    ['a config file that was not there', 'config.yaml', 'model_source: simulator\n'],
    ['an environment file', '.env', 'QUARTERDECK_MODEL_SOURCE=simulator'],
    ['a file a value comes from', 'about.txt', 'About two'],
    ['the instructions of a subagent', 'helper.md', 'Help twice.'],
  ])('is visible to the next load: %s', async (_, file, content) => {
    const helper = '  agents: { helper: { description: Helps, prompt_file: helper.md } }'
    const first = `${minimalAgent.replace('inline: Sort the tickets.', 'file: prompt.md')}claude:\n${helper}\n`
    const project = await tempProject({
      'agent.yaml': `${first}description: "\${file:about.txt}"\n`,
      'prompt.md': 'One.',
      'about.txt': 'About one',
      'helper.md': 'Help once.',
    })
    await outliveClockGrain(project.path('helper.md'))
    const registry = registryOf(project)
    const before = await registry.load('triage')
    expect(await registry.load('triage')).toBe(before)
    await project.write(file, content)
    expect(await registry.load('triage')).not.toEqual(before)
  })

  it('is visible even within one clock tick, because young files are read again', async () => {
    const project = await tempProject({})
    const registry = registryOf(project)
    // A slow machine may need longer than the clock grain between writing and reading: then try once more.
    await vi.waitFor(async () => {
      await project.write('agent.yaml', minimalAgent)
      const first = await registry.load('triage')
      expect(await registry.load('triage')).not.toBe(first)
    }, 20_000)
  }, 30_000)

  it('that breaks, removes or repairs the file is visible', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent })
    const registry = registryOf(project)
    await registry.load('triage')
    await project.write('agent.yaml', `${minimalAgent}x: 1\n`)
    await expect(registry.load('triage')).rejects.toMatchObject({ code: 'config.invalid' })
    await rm(project.path('agent.yaml'))
    await expect(registry.load('triage')).rejects.toMatchObject({ code: 'agent.not-found' })
    await project.write('agent.yaml', minimalAgent)
    expect((await registry.load('triage')).name).toBe('triage')
  })
})

describe('the agent registry', () => {
  it('returns provider access, secrets and prices', async () => {
    const project = await tempProject(
      {
        'agent.yaml': minimalAgent,
        '.env': 'ANTHROPIC_API_KEY=made-up-key-beside-agent\nANTHROPIC_BASE_URL=http://127.0.0.1:9\n',
        'config.yaml': 'models: {claude-next: {tier: low}}\n',
      },
      {},
    )
    const registry = registryOf(project)
    const agent = await registry.load('triage')
    const access = await registry.access(agent)
    expect(access).toMatchObject({ type: 'key', baseUrl: 'http://127.0.0.1:9' })
    expect(access.type === 'key' && access.value.reveal()).toBe('made-up-key-beside-agent')
    expect(registry.secrets()).toEqual(['made-up-key-beside-agent'])
    expect((await registry.catalog('triage')).at(-1)?.id).toBe('claude-next')
    expect((await registry.catalog('gone')).at(-1)?.id).not.toBe('claude-next')
    expect(JSON.stringify([agent, access, await registry.list()])).not.toContain('made-up-key')
  })

  it('announces agents whose auto setting chose the simulator', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent, 'config.yaml': 'model_source: auto\n' }, {})
    expect(await registryOf(project).announcements()).toEqual([
      expect.stringMatching(/^agent "triage": no key: local simulator/),
    ])
    const withKey = createAgentRegistry({ ...project.options, env: { ANTHROPIC_API_KEY: madeUpKey }, paths: ['.'] })
    expect(await withKey.announcements()).toEqual([])
  })
})

/** Young files are always read again. Only waiting makes a file older: its change time cannot be set. */
async function outliveClockGrain(lastWritten: string): Promise<void> {
  const { ctimeMs } = await stat(lastWritten)
  while (Date.now() <= ctimeMs + clockGrainMs) await setTimeout(10)
}
