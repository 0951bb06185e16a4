// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { AgentDefinition } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { claudeSettings, noTools } from '../testing/agent-definition.fixture.ts'
import { nameFromPath, requireAgent } from './load-agent.ts'
import { formatProblem, isError } from './problems/problem.ts'
import { madeUpKey, minimalAgent, tempProject } from './testing/temp-project.ts'

describe('a minimal agent file', () => {
  it('loads with least privilege and the documented defaults', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent })
    const { agent, problems } = await project.load()
    expect(problems).toEqual([])
    expect(agent).toEqual({
      name: 'triage',
      description: null,
      file: project.path('agent.yaml'),
      backend: 'claude',
      model: {
        provider: 'anthropic',
        name: 'high',
        id: 'claude-sonnet-4-5-20250929',
        authProvider: 'api_key',
        endpoint: null,
        apiVersion: null,
        maxTokens: null,
        temperature: null,
        topP: null,
      },
      modelSource: 'provider',
      gateway: true,
      instructions: { type: 'text', text: 'Sort the tickets.' },
      claude: claudeSettings(project.folder, noTools),
      tools: [],
      embedding: null,
      toolFiltering: null,
      responseFormat: null,
      hooks: [],
      observability: null,
      turnTimeoutMs: null,
      maxConcurrentSessions: null,
      unitsPerDay: null,
      limits: { maxTurns: 50, maxBudgetUsd: 5, maxDurationMs: 3_600_000 },
      approvals: { allow: [], deny: [], expiresAfterMs: null },
      workspace: { mode: 'shared', writable: [] },
      onCrash: 'wait',
      starters: [],
    })
    expect(AgentDefinition.parse(agent)).toEqual(agent)
  })

  it('treats a key without a value as absent', async () => {
    const blank = `${minimalAgent}description:\nclaude:\nlimits:\napprovals:\ntools: []\ngateway:\nstarters:\n`
    const project = await tempProject({ 'agent.yaml': blank })
    const { agent, problems } = await project.load()
    expect(problems).toEqual([])
    expect(agent?.limits.maxTurns).toBe(50)
  })
})

describe('a full agent file', () => {
  it('maps every field to the agent definition', async () => {
    const project = await tempProject({
      'agent.yaml': fullAgent,
      'prompts/explorer.md': 'Look around.',
      'work/keep.txt': 'x',
    })
    const { agent, problems } = await project.load()
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(agent).toMatchObject({
      name: 'coder',
      description: 'Fixes tests',
      model: { id: 'claude-opus-4-5', maxTokens: 8000, endpoint: 'http://127.0.0.1:9/v1' },
      instructions: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
      claude: {
        workingDirectory: project.path('work'),
        permissionMode: 'acceptEdits',
        thinking: { budgetTokens: 4000 },
        webSearch: true,
        bash: { enabled: true, excludedCommands: ['git'], allowUnsafe: false },
        fileSystem: { read: true, write: true, edit: true },
        subagents: { enabled: true, maxParallel: 2 },
        agents: {
          explorer: {
            description: 'Looks',
            prompt: 'Look around.',
            tools: ['Read', 'Agent'],
            model: 'claude-haiku-4-5',
          },
          critic: { description: 'Doubts', prompt: 'Doubt it.', tools: null, model: null },
        },
        allowedTools: ['Bash', 'Read', 'Edit', 'Agent'],
        disallowedTools: ['WebSearch'],
        fallbackModel: 'claude-haiku-4-5',
        settingSources: ['user', 'project', 'local'],
      },
      limits: { maxTurns: 10, maxBudgetUsd: 0.5, maxDurationMs: 5_400_000 },
      approvals: {
        allow: [
          { tool: 'Bash', pattern: 'npm test*' },
          { tool: 'Agent', pattern: null },
        ],
        deny: [{ tool: 'Bash', pattern: 'rm *' }],
        expiresAfterMs: 86_400_000,
      },
      workspace: { mode: 'copy', writable: [] },
      onCrash: 'continue',
      starters: ['Fix the failing test'],
    })
  })
})

describe('problems', () => {
  it('are all reported at once, each with its own position', async () => {
    const project = await tempProject({
      'agent.yaml': [
        'name: 7days',
        'modle: {}',
        'model:',
        '  provider: anthropc',
        '  name: high',
        'instructions:',
        '  inline: Hello ${NOBODY}',
        'claude:',
        '  permission_mode: acceptall',
        '  bash: {enabled: maybe}',
        '  max_turn: 3',
        'limits:',
        '  max_turns: 0',
        '  max_duration: soon',
        'tools:',
        '  - {type: mcpp, name: notes}',
        '  - {type: skill, name: my-skill, folder: skills}',
        '  - {type: mcp, name: files, command: npx, request_timout: 3}',
        'approvals:',
        '  allow: ["(("]',
        'deployment: {port: 1}',
      ].join('\n'),
    })
    const { agent, problems } = await project.load()
    expect(agent).toBeNull()
    expect(problems.map((problem) => formatProblem(problem, project.folder))).toEqual([
      'agent.yaml:1:7 error: "name" must start with a letter and contain only letters, digits, _ and - (up to 64); found "7days"',
      'agent.yaml:2:1 error: unknown key "modle". Did you mean "model"?',
      'agent.yaml:4:13 error: "model.provider" must be one of anthropic, openai, azure_openai, ollama, simulator; found "anthropc". Did you mean "anthropic"?',
      'agent.yaml:7:11 error: the environment has no NOBODY: set it, or add a default with ${NAME:-default}',
      'agent.yaml:9:20 error: "claude.permission_mode" must be one of manual, acceptEdits, acceptAll, plan; found "acceptall". Did you mean "acceptAll"?',
      'agent.yaml:10:19 error: "claude.bash.enabled" must be true or false; found "maybe"',
      'agent.yaml:11:3 error: unknown key "max_turn" in "claude". Did you mean "max_turns"?',
      'agent.yaml:13:14 error: "limits.max_turns" must be at least 1; found 0',
      'agent.yaml:14:17 error: "limits.max_duration" must be a duration such as 90s, 30m or 1h, at most 24d',
      'agent.yaml:16:12 error: "tools[0].type" must be one of function, mcp, prompt, client, skill, vectorstore, hierarchical_document; found "mcpp". Did you mean "mcp"?',
      'agent.yaml:17:25 error: "tools[1].name" must be letters, digits and _ (up to 64); found "my-skill". Did you mean "my_skill"?',
      'agent.yaml:17:43 error: "tools[1].folder": cannot use skills/SKILL.md: there is no such file',
      'agent.yaml:18:44 error: unknown key "request_timout" in "tools[2]". Did you mean "request_timeout"?',
      'agent.yaml:20:11 error: "((" is not a rule: use Tool or Tool(pattern), such as Bash(npm test*)',
      'agent.yaml:21:1 error: not supported yet: deployment',
    ])
  })

  it('are thrown as one error by requireAgent', async () => {
    const project = await tempProject({ 'agent.yaml': 'name: x\nmodel: {provider: simulator}\n' })
    const loaded = await project.load()
    expect(() => requireAgent(loaded, project.folder)).toThrow('agent.yaml:1:1 error: "instructions" is missing')
  })

  it.each([
    ['not yet', 'deployment: {port: 1}', 'config.unsupported'],
    ['missing file', null, 'config.unreadable'],
    ['a wrong key', 'nmae: y', 'config.invalid'],
  ])('determine the error code when all share it: %s', async (_, line, code) => {
    const project = await tempProject(line === null ? {} : { 'agent.yaml': `${minimalAgent}${line}\n` })
    const loaded = await project.load()
    expect(() => requireAgent(loaded, project.folder)).toThrow(expect.objectContaining({ code }))
  })
})

describe('a file that is not an agent', () => {
  it.each([
    ['empty', '', 1, 'the file is empty: an agent needs name, model and instructions'],
    ['only comments', '# nothing\n', 1, 'the file is empty: an agent needs name, model and instructions'],
    ['a list', '- a\n- b\n', 1, 'the file must be a map; found a list'],
    ['a word', 'hello', 1, 'the file must be a map; found "hello"'],
    ['a number', '42', 1, 'the file must be a map; found 42'],
    ['unclosed quote', 'name: "abc\n', 2, 'not valid YAML: Missing closing "quote'],
    ['bad indentation', 'name: a\n  model: b\n', 1, 'not valid YAML:'],
    ['tab', 'model:\n\tprovider: anthropic\n', 2, 'a tab is used for indentation: YAML allows only spaces'],
    ['two documents', 'name: a\n---\nname: b\n', 2, 'a second document starts here: a file may contain only one'],
    ['unknown tag', 'name: !python/object x\n', 1, 'not valid YAML: Unresolved tag'],
    ['missing anchor', 'name: *nobody\n', 1, 'no anchor "&nobody" before this'],
    ['an alias of itself', 'name: &a\n  b: *a\n', 2, '"*a" contains itself'],
    ['complex key', '? [a, b]\n: 1\n', 1, 'a key must be plain text'],
    ['prototype key', '__proto__: {a: 1}\n', 1, 'a key must be plain text'],
    ['deep nesting', `name: ${'['.repeat(300_000)}\n`, 1, 'nested deeper than 100 levels'],
    ['deep blocks', `${'- '.repeat(300_000)}\n`, 1, 'nested deeper than 100 levels'],
    ['too many values', `a: [${'1,'.repeat(30_000)}]\n`, 1, 'more than 20000 values'],
    ['too big', `# ${'x'.repeat(1024 * 1024)}\n`, 1, 'cannot be read: it is larger than 1 MiB'],
  ])('is refused with a clear message: %s', async (...[, text, line, message]) => {
    const project = await tempProject({ 'agent.yaml': text })
    const { agent, problems } = await project.load()
    expect(agent).toBeNull()
    expect(problems[0]).toMatchObject({ severity: 'error', line })
    expect(problems[0]?.message).toContain(message)
  })

  it('is refused when aliases expand to too many values', async () => {
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}*l${i}]`)
    const project = await tempProject({ 'agent.yaml': ['l0: &l0 [x, x]', ...levels].join('\n') })
    const { problems } = await project.load()
    expect(problems).toContainEqual(expect.objectContaining({ message: 'more than 20000 values' }))
  })

  it('is refused when it is not UTF-8, a folder or missing', async () => {
    const project = await tempProject({ 'agent.yaml': new Uint8Array([0x6e, 0xff, 0xfe, 0x00]), 'folder/x': '' })
    expect((await project.load()).problems[0]?.message).toBe('cannot be read: it is not UTF-8 text')
    expect((await project.load('folder')).problems[0]?.message).toBe('cannot be read: it is a folder')
    expect((await project.load('nowhere.yaml')).problems[0]?.message).toBe('there is no such file')
  })

  it('is accepted with a byte order mark and Windows line endings', async () => {
    const project = await tempProject({ 'agent.yaml': `\uFEFF${minimalAgent.replaceAll('\n', '\r\n')}` })
    expect((await project.load()).problems).toEqual([])
  })

  it('is refused at the second of two equal keys', async () => {
    const project = await tempProject({ 'agent.yaml': `${minimalAgent}name: other\n` })
    const { problems } = await project.load()
    expect(problems).toEqual([
      expect.objectContaining({ code: 'config.duplicate-key', line: 7, column: 1, message: '"name" is written twice' }),
    ])
  })
})

describe('YAML anchors', () => {
  it('are expanded, and keys of the map override merged keys', async () => {
    const text = `${minimalAgent}claude:\n  file_system: &fs {read: true, write: true}\n  bash: {enabled: false}\n`
    const merged = text.replace(
      'bash: {enabled: false}',
      'agents: {a: &a {description: d, prompt: p}, b: {<<: *a, prompt: q}}',
    )
    const project = await tempProject({ 'agent.yaml': merged })
    const { agent } = await project.load()
    expect(agent?.claude.agents.b).toMatchObject({ description: 'd', prompt: 'q' })
  })
})

describe('nameFromPath', () => {
  it.each([
    ['/a/triage/agent.yaml', 'triage'],
    ['/a/b/coder.agent.yaml', 'coder'],
    ['/a/b/my file.yml', 'my-file'],
    ['/a/42/agent.yaml', 'agent-42'],
    ['/agent.yaml', 'agent-'],
  ])('derives the name of %s as %s', (file, name) => {
    expect(nameFromPath(file)).toBe(name)
  })
})

it('keeps keys out of the definition, the problems and all printed output', async () => {
  const literal = 'literal-key-in-a-file'
  const project = await tempProject({
    'agent.yaml': minimalAgent.replace('name: high', `name: high\n  api_key: ${literal}\n  endpoint: [x]`),
  })
  const loaded = await project.load()
  const printed =
    JSON.stringify(loaded.problems) + JSON.stringify(loaded.agent) + JSON.stringify(loaded.credentials.apiKey)
  expect(printed).not.toContain(literal)
  expect(printed).not.toContain(madeUpKey)
  expect(loaded.credentials.apiKey?.reveal()).toBe(literal)
})

const fullAgent = `name: coder
description: Fixes tests
author: Somebody
model:
  provider: anthropic
  name: pro
  max_tokens: 8000
  endpoint: http://127.0.0.1:9/v1
instructions:
  preset: claude_code
  append: Be brief.
claude:
  working_directory: ./work
  permission_mode: acceptEdits
  max_turns: 10
  max_budget_usd: 1
  extended_thinking: {enabled: true, budget_tokens: 4000}
  web_search: true
  bash: {enabled: true, excluded_commands: [git]}
  file_system: {read: true, write: true, edit: true}
  subagents: {max_parallel: 2}
  agents:
    explorer: {description: Looks, prompt_file: prompts/explorer.md, tools: [Read, Task], model: haiku}
    critic: {description: Doubts, prompt: Doubt it., model: inherit}
  allowed_tools: [Bash, Read, Edit, Task]
  disallowed_tools: [WebSearch]
  fallback_model: low
  setting_sources: [all]
limits: {max_turns: 30, max_budget_usd: 0.5, max_duration: 1h30m}
approvals:
  allow: ["Bash(npm test*)", Task]
  deny: ["Bash(rm *)"]
  expires_after: 1d
gateway: on
backend: claude
workspace: {mode: copy}
on_crash: continue
starters: [Fix the failing test]
`

describe('a YAML merge key', () => {
  it.each([
    ['<<: 5', '7:5'],
    ['<<: [1, foo]', '7:6'],
    ['<<:', '7:4'],
    ['<<: [[{author: a}]]', '7:6'],
  ])('is refused when its value is not a map: %s', async (line, place) => {
    const project = await tempProject({ 'agent.yaml': `${minimalAgent}${line}\n` })
    const { agent, problems } = await project.load('agent.yaml')
    expect(agent).toBeNull()
    const message = '"<<" must refer to maps: write <<: *name, or a list of references'
    expect(problems[0]).toMatchObject({ code: 'config.malformed-yaml', message })
    expect(`${problems[0]?.line}:${problems[0]?.column}`).toBe(place)
  })

  it("keeps the map's own keys and their positions", async () => {
    const text = `${minimalAgent}claude:
  agents:
    a: &a { description: d, prompt: p }
    b:
      description: { }
      <<: *a
`
    const project = await tempProject({ 'agent.yaml': text })
    const { problems } = await project.load('agent.yaml')
    expect(problems.filter(isError)).toMatchObject([{ path: 'claude.agents.b.description', line: 11, column: 20 }])
  })
})

it('reports several mistakes of one tool', async () => {
  const project = await tempProject({
    'agent.yaml': `${minimalAgent}tools:
  - {type: function, name: f, file: gone.ts, function: f}
  - {type: client, name: f, description: x}
  - {type: function, name: get-weather, description: x, file: lost.ts}
`,
  })
  const { problems } = await project.load()
  expect(problems.filter(isError).map(({ path, code }) => [path, code])).toEqual([
    ['tools[0].description', 'config.missing-key'],
    ['tools[0].file', 'config.unreadable'],
    ['tools[1].name', 'config.invalid'],
    ['tools[2].function', 'config.missing-key'],
    ['tools[2].name', 'config.invalid'],
    ['tools[2].file', 'config.unreadable'],
  ])
})

it('refuses an agent name with invalid characters and suggests a valid one', async () => {
  const project = await tempProject({ 'agent.yaml': minimalAgent.replace('triage', '"Support Agent (new)"') })
  expect((await project.load()).problems).toMatchObject([
    { path: 'name', message: expect.stringContaining('letters, digits, _ and -'), suggestion: 'support-agent-new' },
  ])
})

it.each([
  ['tools', 'tools: [{type: mcp, name: a, command: b, env: {FOO: [1]}}]', 'tools[0].env.FOO'],
  ['hooks', 'hooks: [{event: Stop, action: script, command: b, env: {FOO: [1]}}]', 'hooks[0].env.FOO'],
])('refuses a variable of %s that is not a scalar', async (_what, line, path) => {
  const project = await tempProject({ 'agent.yaml': `${minimalAgent}${line}\n` })
  expect((await project.load()).problems.filter(isError)).toMatchObject([
    { path, message: `"${path}" must be a text, a number, true or false` },
  ])
})

it('refuses an unpaired surrogate and accepts a whole character', async () => {
  const project = await tempProject({ 'agent.yaml': `${minimalAgent}description: "a \\uD83D b"\n` })
  expect((await project.load()).problems).toMatchObject([
    { path: 'description', line: 7, column: 14, message: expect.stringContaining('half of a character') },
  ])
  await project.write('agent.yaml', `${minimalAgent}description: "\\U0001F600 😀"\n`)
  expect((await project.load()).agent?.description).toBe('😀 😀')
})
