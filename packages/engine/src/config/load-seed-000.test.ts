// Every model, field, default, limit and startup rule that the data model of the native Claude integration (seed 000,
// §1 to §3) defines for agent files. The parts about backends (§3b to §9) are tested elsewhere:
// §3b ChatSession.history     sessions/rules/decide.test.ts (a session is its events), projection tests of the protocol
// §4  ExecutionResult         backends/seed-000-contract.test.ts
// §5  AgentSession            backends/backend.contract.ts, backends/seed-000-contract.test.ts
// §6  AgentBackend            backends/backend.contract.ts, backends/seed-000-contract.test.ts
// §8  states and error paths  backends/contract/reasons.contract.ts, backends/seed-000-contract.test.ts
// §9  chat and streaming      sessions/turns/turn-loop.test.ts, cli/src/commands/chat/chat.test.ts
import { AuthProvider, PermissionMode } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { neededVariables } from './credentials/credentials.ts'
import { isError } from './problems/problem.ts'
import { madeUpKey, minimalAgent, tempProject } from './testing/temp-project.ts'

const keys = {
  ANTHROPIC_API_KEY: madeUpKey,
  ANTHROPIC_AUTH_TOKEN: madeUpKey,
  OPENAI_API_KEY: madeUpKey,
  CLAUDE_CODE_OAUTH_TOKEN: madeUpKey,
  CLAUDE_CODE_USE_BEDROCK: '1',
  CLAUDE_CODE_USE_VERTEX: '1',
  CLAUDE_CODE_USE_FOUNDRY: '1',
  AWS_REGION: 'eu-central-1',
  CLOUD_ML_REGION: 'europe-west1',
  GOOGLE_CLOUD_PROJECT: 'p',
  ANTHROPIC_FOUNDRY_RESOURCE: 'r',
}

async function load(text: string, files: Record<string, string> = {}) {
  const project = await tempProject({ 'agent.yaml': text, ...files }, keys)
  return project.load()
}

/** The Claude settings of a file whose `claude` block contains only this line. */
async function claudeOf(lines: string) {
  const { agent, problems } = await load(`${minimalAgent}claude: {${lines}}\n`)
  if (agent === null) throw new Error(problems.map(({ message }) => message).join('\n'))
  return agent.claude
}

async function refusalOf(lines: string): Promise<string> {
  const { agent, problems } = await load(`${minimalAgent}claude: {${lines}}\n`)
  expect(agent).toBeNull()
  return problems
    .filter(isError)
    .map(({ message }) => message)
    .join('\n')
}

const withModel = (lines: string): string => minimalAgent.replace('  name: high\n', `  name: high\n${lines}`)

describe('AuthProvider', () => {
  it('AuthProvider: api_key, oauth_token, bedrock, vertex, foundry; custom came later', async () => {
    expect(AuthProvider.options).toEqual(['api_key', 'oauth_token', 'bedrock', 'vertex', 'foundry', 'custom'])
    for (const authProvider of AuthProvider.options) {
      const { agent } = await load(withModel(`  auth_provider: ${authProvider}\n`))
      expect(agent?.model.authProvider).toBe(authProvider)
    }
  })

  it.each([
    ['api_key', ['ANTHROPIC_API_KEY']],
    ['oauth_token', ['CLAUDE_CODE_OAUTH_TOKEN']],
    ['bedrock', ['CLAUDE_CODE_USE_BEDROCK=1', 'AWS_REGION or AWS_DEFAULT_REGION']],
    [
      'vertex',
      [
        'CLAUDE_CODE_USE_VERTEX=1',
        'CLOUD_ML_REGION',
        'ANTHROPIC_VERTEX_PROJECT_ID or GCLOUD_PROJECT or GOOGLE_CLOUD_PROJECT or GOOGLE_APPLICATION_CREDENTIALS',
      ],
    ],
    ['foundry', ['CLAUDE_CODE_USE_FOUNDRY=1', 'ANTHROPIC_FOUNDRY_RESOURCE or ANTHROPIC_FOUNDRY_BASE_URL']],
  ] as const)('AuthProvider.%s needs %j', (authProvider, variables) => {
    expect(neededVariables(authProvider)).toEqual(variables)
  })
})

describe('PermissionMode', () => {
  it('PermissionMode: manual, acceptEdits, acceptAll; plan is new', async () => {
    expect(PermissionMode.options).toEqual(['manual', 'acceptEdits', 'acceptAll', 'plan'])
    for (const mode of PermissionMode.options) {
      expect((await claudeOf(`permission_mode: ${mode}`)).permissionMode).toBe(mode)
    }
  })
})

describe('ExtendedThinkingConfig', () => {
  it('ExtendedThinkingConfig: extra fields are forbidden', async () => {
    expect(await refusalOf('extended_thinking: {budget: 1}')).toContain('unknown key "budget"')
  })

  it('ExtendedThinkingConfig.enabled: default false', async () => {
    expect((await claudeOf('extended_thinking: {budget_tokens: 2000}')).thinking).toBeNull()
    expect((await claudeOf('extended_thinking: {enabled: true}')).thinking).not.toBeNull()
  })

  it('ExtendedThinkingConfig.budget_tokens: default 10_000, ge 1_000, le 100_000', async () => {
    expect((await claudeOf('extended_thinking: {enabled: true}')).thinking).toEqual({ budgetTokens: 10_000 })
    for (const tokens of [1000, 100_000]) {
      const { thinking } = await claudeOf(`extended_thinking: {enabled: true, budget_tokens: ${tokens}}`)
      expect(thinking).toEqual({ budgetTokens: tokens })
    }
    expect(await refusalOf('extended_thinking: {budget_tokens: 999}')).toContain('at least 1000')
    expect(await refusalOf('extended_thinking: {budget_tokens: 100001}')).toContain('at most 100000')
    expect(await refusalOf('extended_thinking: {budget_tokens: 1500.5}')).toContain('a whole number')
  })
})

describe('BashConfig', () => {
  it('BashConfig: extra fields are forbidden', async () => {
    expect(await refusalOf('bash: {shell: zsh}')).toContain('unknown key "shell"')
  })

  it('BashConfig.enabled: default false', async () => {
    expect((await claudeOf('bash: {}')).bash.enabled).toBe(false)
    expect((await claudeOf('bash: {enabled: true}')).bash.enabled).toBe(true)
  })

  it('BashConfig.excluded_commands: default none', async () => {
    expect((await claudeOf('bash: {enabled: true}')).bash.excludedCommands).toEqual([])
    const { bash } = await claudeOf('bash: {enabled: true, excluded_commands: [rm, git]}')
    expect(bash.excludedCommands).toEqual(['rm', 'git'])
    expect(await refusalOf('bash: {excluded_commands: rm}')).toContain('must be a list')
  })

  it('BashConfig.allow_unsafe: default false', async () => {
    expect((await claudeOf('bash: {enabled: true}')).bash.allowUnsafe).toBe(false)
    expect((await claudeOf('bash: {enabled: true, allow_unsafe: true}')).bash.allowUnsafe).toBe(true)
  })
})

describe('FileSystemConfig', () => {
  it('FileSystemConfig: extra fields are forbidden', async () => {
    expect(await refusalOf('file_system: {delete: true}')).toContain('unknown key "delete"')
  })

  it.each(['read', 'write', 'edit'] as const)('FileSystemConfig.%s: default false', async (field) => {
    expect((await claudeOf('file_system: {}')).fileSystem[field]).toBe(false)
    expect((await claudeOf(`file_system: {${field}: true}`)).fileSystem[field]).toBe(true)
  })
})

describe('SubagentConfig', () => {
  it('SubagentConfig: extra fields are forbidden', async () => {
    expect(await refusalOf('subagents: {parallel: 2}')).toContain('unknown key "parallel"')
  })

  it('SubagentConfig.enabled: default false', async () => {
    expect((await claudeOf('subagents: {}')).subagents.enabled).toBe(false)
    expect((await claudeOf('subagents: {enabled: true}')).subagents.enabled).toBe(true)
  })

  it('SubagentConfig.max_parallel: default 4, ge 1, le 16', async () => {
    expect((await claudeOf('subagents: {enabled: true}')).subagents.maxParallel).toBe(4)
    for (const count of [1, 16]) {
      const { subagents } = await claudeOf(`subagents: {enabled: true, max_parallel: ${count}}`)
      expect(subagents.maxParallel).toBe(count)
    }
    expect(await refusalOf('subagents: {max_parallel: 0}')).toContain('at least 1')
    expect(await refusalOf('subagents: {max_parallel: 17}')).toContain('at most 16')
  })
})

describe('ClaudeConfig', () => {
  it('ClaudeConfig: extra fields are forbidden', async () => {
    expect(await refusalOf('model: x')).toContain('unknown key "model" in "claude"')
  })

  it('ClaudeConfig: all fields optional, every capability off', async () => {
    for (const text of [minimalAgent, `${minimalAgent}claude: {}\n`, `${minimalAgent}claude:\n`]) {
      const { agent, problems } = await load(text)
      expect(problems).toEqual([])
      expect(agent?.claude).toMatchObject({
        thinking: null,
        webSearch: false,
        bash: { enabled: false },
        fileSystem: { read: false, write: false, edit: false },
        subagents: { enabled: false },
      })
    }
  })

  it('ClaudeConfig.working_directory: default none (the folder of the file)', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent, 'sub/keep': '' })
    expect((await project.load()).agent?.claude.workingDirectory).toBe(project.folder)
    await project.write('agent.yaml', `${minimalAgent}claude: {working_directory: ./sub}\n`)
    expect((await project.load()).agent?.claude.workingDirectory).toBe(project.path('sub'))
    expect(await refusalOf('working_directory: ./nowhere')).toContain('is not a folder')
  })

  it('ClaudeConfig.permission_mode: default manual', async () => {
    expect((await claudeOf('')).permissionMode).toBe('manual')
    expect(await refusalOf('permission_mode: auto')).toContain('manual, acceptEdits, acceptAll, plan')
  })

  it('ClaudeConfig.max_turns: default none (the limit of 50); ge 1', async () => {
    expect((await load(minimalAgent)).agent?.limits.maxTurns).toBe(50)
    expect((await load(`${minimalAgent}claude: {max_turns: 1}\n`)).agent?.limits.maxTurns).toBe(1)
    expect(await refusalOf('max_turns: 0')).toContain('at least 1')
  })

  it('ClaudeConfig.extended_thinking: default none', async () => {
    expect((await claudeOf('')).thinking).toBeNull()
    expect((await claudeOf('extended_thinking: ~')).thinking).toBeNull()
  })

  it('ClaudeConfig.web_search: default false', async () => {
    expect((await claudeOf('')).webSearch).toBe(false)
    expect((await claudeOf('web_search: true')).webSearch).toBe(true)
  })

  it.each([
    ['bash', { enabled: false, excludedCommands: [], allowUnsafe: false }],
    ['file_system', { read: false, write: false, edit: false }],
    ['subagents', { enabled: false, maxParallel: 4 }],
  ])('ClaudeConfig.%s: default none', async (field, off) => {
    const settings = await claudeOf(`${field}: ~`)
    expect(Object.values(settings)).toContainEqual(off)
  })

  it('ClaudeConfig.allowed_tools: default none (every enabled tool)', async () => {
    expect((await claudeOf('')).allowedTools).toBeNull()
    expect((await claudeOf('bash: {enabled: true}, allowed_tools: [Bash]')).allowedTools).toEqual(['Bash'])
    expect((await claudeOf('allowed_tools: []')).allowedTools).toEqual([])
  })
})

describe('LLMProvider', () => {
  it('LLMProvider.auth_provider: default none (api_key)', async () => {
    expect((await load(minimalAgent)).agent?.model.authProvider).toBe('api_key')
  })

  it('LLMProvider.auth_provider: ignored with a warning for other providers', async () => {
    const text = 'name: a\nmodel: {provider: openai, name: gpt-5, auth_provider: bedrock}\ninstructions: {inline: Hi}\n'
    const { agent, problems } = await load(text)
    expect(agent?.model.provider).toBe('openai')
    expect(problems).toContainEqual(
      expect.objectContaining({ severity: 'warning', code: 'config.no-effect', path: 'model.auth_provider' }),
    )
  })
})

const searching = 'tools: [{type: SEARCH, name: docs, description: d, source: .}]\n'

describe('Agent', () => {
  it('Agent.embedding_provider: default none; openai, azure_openai, ollama and local', async () => {
    expect((await load(minimalAgent)).agent?.embedding).toBeNull()
    const tools = searching.replace('SEARCH', 'vectorstore')
    for (const provider of ['openai', 'ollama', 'local']) {
      const { agent } = await load(`${minimalAgent}embedding_provider: {provider: ${provider}}\n${tools}`)
      expect(agent?.embedding?.provider).toBe(provider)
    }
    const azure =
      'embedding_provider: {provider: azure_openai, name: vectors, endpoint: "https://x.openai.azure.com", api_key: k}\n'
    expect((await load(`${minimalAgent}${azure}${tools}`)).agent?.embedding?.provider).toBe('azure_openai')
    const { problems } = await load(`${minimalAgent}embedding_provider: {provider: anthropic}\n${tools}`)
    expect(problems[0]).toMatchObject({ severity: 'error', path: 'embedding_provider.provider' })
  })

  it('Agent.claude: default none', async () => {
    expect((await load(minimalAgent)).problems).toEqual([])
  })

  it('Agent.tools, Agent.evaluations, Agent.test_cases: unchanged and loaded', async () => {
    const text = `${minimalAgent}tools: [{type: client, name: pick, description: d}]
evaluations: {metrics: [{type: standard, metric: equality}]}
test_cases: [{input: Hi, ground_truth: Hello}]
`
    const { agent, tests } = await load(text)
    expect(agent?.tools).toHaveLength(1)
    expect(tests?.metrics).toHaveLength(1)
    expect(tests?.cases).toHaveLength(1)
  })
})

describe('startup validation', () => {
  it.each(['vectorstore', 'hierarchical_document'])(
    'startup rule 1: anthropic with a %s tool and no embedding_provider is an error',
    async (type) => {
      const text = `${minimalAgent}${searching.replace('SEARCH', type)}`
      const { agent, problems } = await load(text)
      expect(agent).toBeNull()
      expect(problems).toContainEqual(
        expect.objectContaining({ severity: 'error', code: 'config.missing-key', path: 'embedding_provider' }),
      )
      const { agent: other } = await load(text.replace('anthropic', 'openai').replace('name: high', 'name: gpt-5'))
      expect(other?.embedding?.provider).toBe('openai')
    },
  )

  it('startup rule 2: anthropic with tool_filtering warns and clears it; the loop applies it', async () => {
    const text = `${minimalAgent}tool_filtering: {top_k: 3}\n`
    const { agent, problems } = await load(text)
    expect(agent?.toolFiltering).toBeNull()
    expect(problems).toEqual([expect.objectContaining({ severity: 'warning', path: 'tool_filtering' })])
    const onLoop = await load(`${text}backend: loop\n`)
    expect(onLoop.problems).toEqual([])
    expect(onLoop.agent?.toolFiltering).toMatchObject({ topK: 3, minScore: 0.3, alwaysIncludeMostUsed: 3 })
  })

  it('startup rule 3: claude with another provider warns that it is ignored', async () => {
    const text = 'name: a\nmodel: {provider: openai, name: gpt-5}\ninstructions: {inline: Hi}\n'
    const { agent, problems } = await load(`${text}claude: {bash: {enabled: true}, permission_mode: acceptAll}\n`)
    expect(problems).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        path: 'claude',
        message: '"claude" is ignored: the provider is openai',
      }),
    )
    expect(agent?.claude).toMatchObject({ bash: { enabled: false }, permissionMode: 'manual' })
  })

  it('startup rule 4: CLAUDE.md in the working directory is a collision warning', async () => {
    const text = `${minimalAgent}claude: {working_directory: sub}\n`
    const { agent, problems } = await load(text, { 'sub/CLAUDE.md': '# CLAUDE.md' })
    expect(agent).not.toBeNull()
    expect(problems).toEqual([expect.objectContaining({ severity: 'warning', code: 'config.collision' })])
    expect((await load(text, { 'sub/README.md': 'x' })).problems).toEqual([])
  })
})
