// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { describe, expect, it } from 'vitest'
import { formatProblem } from '../problems/problem.ts'
import { createAgentRegistry } from '../registry/agent-registry.ts'
import { minimalAgent, tempProject } from '../testing/temp-project.ts'

const shown = async (files: Record<string, string>, file = 'agent.yaml') => {
  const project = await tempProject(files)
  const { agent, problems } = await project.load(file)
  return { agent, project, lines: problems.map((problem) => formatProblem(problem, project.folder)) }
}

describe('extends', () => {
  it('merges maps, replaces lists and clears with null', async () => {
    const { agent, lines } = await shown({
      'base.yaml': `${minimalAgent}description: From the base
claude: {bash: {enabled: true, excluded_commands: [rm, git]}, file_system: {read: true}, max_turns: 4}
starters: [One, Two]
limits: {max_turns: 9, max_budget_usd: 1}
`,
      'agent.yaml': `extends: base.yaml
name: child
description: ~
claude: {bash: {excluded_commands: [curl]}, max_turns: ~}
limits: {max_turns: 7}
starters: [Three]
`,
    })
    expect(lines.filter((line) => line.includes('error'))).toEqual([])
    expect(agent).toMatchObject({
      name: 'child',
      description: null,
      model: { id: 'claude-sonnet-4-5-20250929' },
      instructions: { text: 'Sort the tickets.' },
      claude: { bash: { enabled: true, excludedCommands: ['curl'] }, fileSystem: { read: true } },
      limits: { maxTurns: 7, maxBudgetUsd: 1 },
      starters: ['Three'],
    })
  })

  it('accepts several files, the last one first in precedence, and nested extends', async () => {
    const { agent } = await shown({
      'deep.yaml': `${minimalAgent}description: deep\nauthor: deep\n`,
      'one.yaml': 'extends: deep.yaml\ndescription: one\nlimits: {max_turns: 1, max_budget_usd: 1}\n',
      'two.yaml': 'limits: {max_turns: 2}\nworkspace: {mode: copy}\n',
      'agent.yaml': 'extends: [one.yaml, two.yaml]\nname: child\n',
    })
    expect(agent).toMatchObject({
      name: 'child',
      description: 'one',
      limits: { maxTurns: 2, maxBudgetUsd: 1 },
      workspace: { mode: 'copy' },
    })
  })

  it('reports a problem in each file even if the paths are the same', async () => {
    const { lines } = await shown({
      'base.yaml': `${minimalAgent}model_source: "\${NOBODY_SET_THIS}"\n`,
      'agent.yaml': 'extends: base.yaml\nname: child\nmodel_source: 7\n',
    })
    expect(lines.filter((line) => line.includes('agent.yaml:3'))).toHaveLength(1)
  })

  it('points every problem at the file and line it came from', async () => {
    const { lines } = await shown({
      'shared/base.yaml': `name: base
model: {provider: anthropic, name: high}
claude:
  max_turn: 3
  bash: {enabled: maybe}
description: \${NOBODY}
`,
      'agent.yaml': `extends: shared/base.yaml
name: child
instructions: {inline: Hi}
claude:
  permission_mode: sometimes
`,
    })
    expect(lines).toEqual([
      'agent.yaml:5:20 error: "claude.permission_mode" must be one of manual, acceptEdits, acceptAll, plan; found "sometimes"',
      'shared/base.yaml:4:3 error: unknown key "max_turn" in "claude". Did you mean "max_turns"?',
      'shared/base.yaml:5:19 error: "claude.bash.enabled" must be true or false; found "maybe"',
      'shared/base.yaml:6:14 error: the environment has no NOBODY: set it, or add a default with ${NAME:-default}',
    ])
  })

  it('points at the nearest file for a key that is missing in all of them', async () => {
    const { lines } = await shown({
      'base.yaml': 'name: base\n',
      'agent.yaml': '# child\nextends: base.yaml\nmodel: {name: high}\n',
    })
    expect(lines).toEqual([
      'agent.yaml:2:1 error: "instructions" is missing',
      'agent.yaml:3:1 error: "model.provider" is missing',
    ])
  })

  it('resolves relative paths against the file that contains them', async () => {
    const { agent, project } = await shown(
      {
        'shared/base.yaml': `name: base
model: {provider: simulator}
instructions: {file: system.md}
tools: [{type: function, name: add, description: Adds, file: tools/add.ts, function: add}]
`,
        'shared/system.md': 'From the base.',
        'shared/tools/add.ts': 'export const add = 1',
        'child/agent.yaml': 'extends: ../shared/base.yaml\nname: child\n',
        '.git/HEAD': '',
      },
      'child/agent.yaml',
    )
    expect(agent).toMatchObject({
      instructions: { text: 'From the base.' },
      tools: [{ file: project.path('shared/tools/add.ts') }],
      claude: { workingDirectory: project.path('child') },
    })
  })

  it.each([
    [
      'a missing file',
      { 'agent.yaml': 'extends: gone.yaml\n' },
      'agent.yaml:1:10 error: "extends": cannot use gone.yaml: there is no such file',
    ],
    [
      'a file that extends itself',
      { 'agent.yaml': 'extends: agent.yaml\n' },
      'agent.yaml:1:10 error: "extends": agent.yaml extends itself',
    ],
    [
      'a cycle',
      { 'agent.yaml': 'extends: a.yaml\n', 'a.yaml': 'name: a\nextends: [b.yaml]\n', 'b.yaml': 'extends: a.yaml\n' },
      'b.yaml:1:10 error: "extends": a.yaml extends itself',
    ],
    [
      'a file outside the project',
      { 'agent.yaml': 'extends: ../base.yaml\n' },
      'agent.yaml:1:10 error: "extends" leaves the project folder: move the file inside, or set allow_outside: true',
    ],
    [
      'a value that is not a path',
      { 'agent.yaml': 'extends: {a: 1}\n' },
      'agent.yaml:1:10 error: "extends" must be the path of a file or a list of them; found a map',
    ],
    [
      'a file that is not a map',
      { 'agent.yaml': 'extends: a.yaml\n', 'a.yaml': '- a\n' },
      'a.yaml:1:1 error: the file must be a map',
    ],
    [
      'a file that cannot be read',
      { 'agent.yaml': 'extends: a.yaml\n', 'a.yaml': 'name: [\n' },
      'a.yaml:2:1 error: not valid YAML',
    ],
  ])('refuses %s', async (_, files, expected) => {
    const { agent, lines } = await shown(files as unknown as Record<string, string>)
    expect(agent).toBeNull()
    expect(lines.join('\n')).toContain(expected)
  })

  it('follows at most ten files', async () => {
    const chain = (length: number): Record<string, string> => ({
      ...Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `b${index}.yaml`,
          index + 1 < length ? `extends: b${index + 1}.yaml\n` : minimalAgent,
        ]),
      ),
      'agent.yaml': 'extends: b0.yaml\nname: child\n',
    })
    expect((await shown(chain(10))).agent?.name).toBe('child')
    expect((await shown(chain(11))).lines.join('\n')).toContain('"extends": more than 10 levels deep')
  })

  it('reloads when the extended file changes', async () => {
    const project = await tempProject({ 'base.yaml': minimalAgent, 'agent.yaml': 'extends: base.yaml\nname: child\n' })
    const registry = createAgentRegistry({ ...project.options, paths: ['agent.yaml'] })
    expect((await registry.load('child')).limits.maxTurns).toBe(50)
    await project.write('base.yaml', `${minimalAgent}limits: {max_turns: 3}\n`)
    expect((await registry.load('child')).limits.maxTurns).toBe(3)
  })

  it('keeps a secret of the extended file out of the definition', async () => {
    const project = await tempProject(
      {
        'base.yaml': `${minimalAgent}tools: [{type: mcp, name: notes, command: node, env: {A_TOKEN: "\${A_TOKEN}"}}]\n`,
        'agent.yaml': 'extends: base.yaml\nname: child\n',
      },
      { ANTHROPIC_API_KEY: 'made-up-key-one', A_TOKEN: 'made-up-token-of-notes' },
    )
    const { agent, problems, passedValues } = await project.load()
    expect(problems).toEqual([])
    expect(passedValues.reveal().tools.notes?.env).toEqual({ A_TOKEN: 'made-up-token-of-notes' })
    expect(JSON.stringify(agent)).not.toContain('made-up-token')
  })
})

describe('instructions from two files', () => {
  const files = {
    'base/base.yaml': 'model: {provider: simulator}\ninstructions: {file: text.md}\n',
    'base/text.md': 'Sort.',
  }

  it('are refused with the position of the other setting and the fix', async () => {
    const { lines } = await shown({
      ...files,
      'agent.yaml': 'extends: base/base.yaml\nname: a\ninstructions: {inline: Hi}\n',
    })
    expect(lines).toEqual([
      'agent.yaml:3:1 error: "instructions" must have exactly one of inline, file, preset; found inline and file (base/base.yaml:2): set file: null here',
    ])
  })

  it('use the nearer file when it clears the other setting with null', async () => {
    const { agent } = await shown({
      ...files,
      'agent.yaml': 'extends: base/base.yaml\nname: a\ninstructions: {inline: Hi, file: null}\n',
    })
    expect(agent?.instructions).toMatchObject({ text: 'Hi' })
  })
})

describe('extends with an unusable file', () => {
  it('still checks the keys and lists of the file itself', async () => {
    const { lines } = await shown({
      'agent.yaml': 'extends: gone.yaml\nname: a\nclaude: {bsh: 1}\ntools:\n  - {type: client, name: my-pick}\n',
    })
    expect(lines).toEqual([
      'agent.yaml:1:10 error: "extends": cannot use gone.yaml: there is no such file',
      'agent.yaml:3:10 error: unknown key "bsh" in "claude". Did you mean "bash"?',
      'agent.yaml:5:5 error: "tools[0].description" is missing',
      expect.stringContaining('agent.yaml:5:26 error: "tools[0].name" must be letters'),
    ])
  })

  it.each([
    ['nowhere.yaml', 'there is no such file'],
    ['folder', 'it is a folder'],
    ['"a\\0b"', 'a file cannot have this name'],
  ])('is reported together with other problems: %s', async (named, why) => {
    const { lines } = await shown({
      'folder/x.txt': '',
      'agent.yaml': `name: child\nlimits: {max_turns: many}\nextends: ${named}\nmodle: high\n`,
    })
    expect(lines).toEqual([
      expect.stringContaining('agent.yaml:2:21 error: "limits.max_turns" must be'),
      expect.stringMatching(new RegExp(`^agent\\.yaml:3:10 error: "extends": cannot use .*: ${why}$`)),
      expect.stringContaining('agent.yaml:4:1 error: unknown key "modle"'),
    ])
  })

  it('does not report keys as missing when the extended file is not valid YAML', async () => {
    const { lines } = await shown({ 'base.yaml': 'name: [', 'agent.yaml': 'extends: base.yaml\nmodle: high\n' })
    expect(lines.filter((line) => line.includes('is missing'))).toEqual([])
    expect(lines.some((line) => line.includes('unknown key "modle"'))).toBe(true)
  })

  it('reports a blank path', async () => {
    const { lines } = await shown({ 'agent.yaml': `${minimalAgent}extends: ''\n` })
    expect(lines).toEqual([expect.stringContaining('"extends" must not be blank')])
  })
})
