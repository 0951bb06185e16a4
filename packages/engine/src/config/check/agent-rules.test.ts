// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
// Every rule of the agent file that goes beyond its shape, one row each.
import { describe, expect, it } from 'vitest'
import type { ConfigProblem } from '../problems/problem.ts'
import { madeUpKey, minimalAgent, tempProject } from '../testing/temp-project.ts'

type Row = readonly [what: string, lines: string, expected: Partial<ConfigProblem>]

async function problemsWith(
  lines: string,
  env: Readonly<Record<string, string>> = { ANTHROPIC_API_KEY: madeUpKey },
): Promise<readonly ConfigProblem[]> {
  const project = await tempProject({ 'agent.yaml': lines, 'prompt.md': 'Hello.', 'blank.md': ' \n', 'sub/x': '' }, env)
  return (await project.load()).problems
}

const withModel = (lines: string): string => minimalAgent.replace('  name: high\n', lines)
const withClaude = (lines: string): string => `${minimalAgent}claude:\n${lines}\n`
const withInstructions = (lines: string): string => minimalAgent.replace('  inline: Sort the tickets.\n', lines)

const errors: readonly Row[] = [
  ['a model without a name', withModel(''), { code: 'config.missing-key', path: 'model.name', line: 2 }],
  [
    'two kinds of instructions',
    withInstructions('  inline: a\n  file: prompt.md\n'),
    { path: 'instructions', line: 5 },
  ],
  ['no kind of instructions', withInstructions('  append: a\n'), { path: 'instructions', line: 5 }],
  ['append without a preset', withInstructions('  inline: a\n  append: b\n'), { path: 'instructions.append', line: 7 }],
  [
    'an unknown preset',
    withInstructions('  preset: claude\n'),
    { path: 'instructions.preset', code: 'config.invalid' },
  ],
  [
    'blank instructions',
    withInstructions('  inline: "  "\n'),
    { message: '"instructions.inline" must not be blank; found "  "' },
  ],
  [
    'a missing instructions file',
    withInstructions('  file: gone.md\n'),
    { code: 'config.unreadable', message: '"instructions.file": cannot use gone.md: there is no such file', line: 6 },
  ],
  ['instructions that are empty', withInstructions('  file: blank.md\n'), { code: 'config.unreadable', line: 6 }],
  ['instructions that are a folder', withInstructions('  file: sub\n'), { code: 'config.unreadable', line: 6 }],
  [
    'instructions outside the project',
    withInstructions('  file: ../secret.md\n'),
    { code: 'config.outside-project', path: 'instructions.file', line: 6, column: 9 },
  ],
  [
    'an absolute working directory outside',
    withClaude('  working_directory: /'),
    { code: 'config.outside-project', path: 'claude.working_directory' },
  ],
  [
    'a working directory that is a file',
    withClaude('  working_directory: prompt.md'),
    { code: 'config.unreadable', message: '"claude.working_directory" is not a folder' },
  ],
  ['a subagent without a prompt', withClaude('  agents: {a: {description: d}}'), { path: 'claude.agents.a' }],
  [
    'a subagent with two prompts',
    withClaude('  agents: {a: {description: d, prompt: p, prompt_file: prompt.md}}'),
    { path: 'claude.agents.a' },
  ],
  [
    'a missing prompt file of a subagent',
    withClaude('  agents: {a: {description: d, prompt_file: nope.md}}'),
    { path: 'claude.agents.a.prompt_file', code: 'config.unreadable' },
  ],
  [
    'a subagent with a bad name',
    withClaude('  agents: {"a b": {description: d, prompt: p}}'),
    { code: 'config.invalid' },
  ],
  ['all beside another source', withClaude('  setting_sources: [all, user]'), { path: 'claude.setting_sources' }],
  [
    'too many subagents',
    withClaude('  subagents: {max_parallel: 17}'),
    { message: '"claude.subagents.max_parallel" must be at most 16; found 17' },
  ],
  ['too little thinking', withClaude('  extended_thinking: {enabled: true, budget_tokens: 999}'), { line: 8 }],
  [
    'a budget of zero',
    `${minimalAgent}limits: {max_budget_usd: 0}\n`,
    { message: '"limits.max_budget_usd" must be more than 0; found 0' },
  ],
  [
    'a fractional number of turns',
    `${minimalAgent}limits: {max_turns: 1.5}\n`,
    { message: '"limits.max_turns" must be a whole number; found 1.5' },
  ],
  ['a duration without a unit', `${minimalAgent}limits: {max_duration: 60}\n`, { path: 'limits.max_duration' }],
  [
    'an expiry that is not a duration',
    `${minimalAgent}approvals: {expires_after: soon}\n`,
    { path: 'approvals.expires_after' },
  ],
  ['a rule that is none', `${minimalAgent}approvals: {deny: [Read, "Bash("]}\n`, { path: 'approvals.deny[1]' }],
  ['an endpoint that is no address', withModel('  name: high\n  endpoint: nowhere\n'), { path: 'model.endpoint' }],
  [
    'an endpoint with another protocol',
    withModel('  name: high\n  endpoint: "file:///etc/passwd"\n'),
    { path: 'model.endpoint' },
  ],
  [
    'an endpoint with a password in it',
    withModel('  name: high\n  endpoint: https://me:pw@example.com\n'),
    { path: 'model.endpoint', code: 'config.exposed-secret' },
  ],
  [
    'an endpoint for a cloud provider',
    withModel('  name: high\n  auth_provider: bedrock\n  endpoint: https://example.com\n'),
    { path: 'model.endpoint', code: 'config.unsupported' },
  ],
  [
    'a key for a cloud provider',
    withModel('  name: high\n  auth_provider: vertex\n  api_key: ${ANTHROPIC_API_KEY}\n'),
    { path: 'model.api_key', code: 'config.unsupported' },
  ],
  [
    'a secret in the instructions',
    withInstructions('  inline: The key is ${ANTHROPIC_API_KEY}.\n'),
    { path: 'instructions.inline', code: 'config.exposed-secret' },
  ],
  [
    'a dollar limit on a model without a price',
    `${withModel('  name: claude-next\n')}limits: {max_budget_usd: 1}\n`,
    { path: 'limits.max_budget_usd', code: 'config.price-unknown' },
  ],
  [
    'a dollar limit of the claude block on a model without a price',
    `${withModel('  name: claude-opus-4-20250514\n')}claude: {max_budget_usd: 1}\n`,
    { path: 'claude.max_budget_usd', code: 'config.price-unknown' },
  ],
  [
    'the gateway for a provider without a key',
    `${withModel('  name: high\n  auth_provider: oauth_token\n')}gateway: on\n`,
    { path: 'gateway', code: 'config.unsupported' },
  ],
  [
    'a gateway that is neither on nor off',
    `${minimalAgent}gateway: maybe\n`,
    { message: '"gateway" must be on or off; found "maybe"' },
  ],
  [
    'a misspelled model',
    withModel('  name: claude-sonet-4\n'),
    { path: 'model.name', message: 'there is no model "claude-sonet-4"', suggestion: 'claude-sonnet-4-5' },
  ],
  [
    'a misspelled fallback model',
    withClaude('  fallback_model: claude-haku-4-5'),
    { path: 'claude.fallback_model', suggestion: 'claude-haiku-4-5' },
  ],
  [
    'a misspelled model of a subagent',
    withClaude('  agents: {a: {description: d, prompt: p, model: hiku}}'),
    { path: 'claude.agents.a.model', suggestion: 'haiku' },
  ],
  [
    'a misspelled model of a prompt tool',
    `${minimalAgent}tools: [{type: prompt, name: a, description: d, template: hi, model: {name: claude-opsu-4-6}}]\n`,
    { path: 'tools[0].model.name', suggestion: 'claude-opus-4-6' },
  ],
  [
    'too many starters',
    `${minimalAgent}starters: [${'a,'.repeat(13)}]\n`,
    { message: '"starters" must have at most 12 entries; found a list' },
  ],
]

const warnings: readonly Row[] = [
  [
    'temperature',
    withModel('  name: high\n  temperature: 0.3\n'),
    { code: 'config.no-effect', path: 'model.temperature' },
  ],
  ['top_p', withModel('  name: high\n  top_p: 1\n'), { code: 'config.no-effect', path: 'model.top_p' }],
  [
    'tool_filtering',
    `${minimalAgent}tool_filtering: {top_k: 5}\n`,
    { code: 'config.no-effect', path: 'tool_filtering' },
  ],
  [
    'a literal key',
    withModel('  name: high\n  api_key: abcdefgh\n'),
    { code: 'config.exposed-secret', path: 'model.api_key' },
  ],
  [
    'auth_provider with the simulator',
    minimalAgent.replace('anthropic', 'simulator').replace('name: high', 'name: high\n  auth_provider: api_key'),
    { code: 'config.no-effect', path: 'model.auth_provider' },
  ],
  ['custom without an address', withModel('  name: high\n  auth_provider: custom\n'), { path: 'model.auth_provider' }],
  [
    'an external endpoint that gets the key',
    withModel('  name: high\n  endpoint: https://models.example.com/x\n'),
    { message: 'the key and every message to the model is sent to models.example.com' },
  ],
  [
    'an external endpoint without encryption',
    withModel('  name: high\n  endpoint: http://models.example.com\n'),
    { message: 'the key and every message to the model is sent to models.example.com, unencrypted' },
  ],
  [
    'acceptAll',
    withClaude('  permission_mode: acceptAll'),
    { code: 'config.unsafe', path: 'claude.permission_mode', line: 8 },
  ],
  ['gateway off', `${minimalAgent}gateway: off\n`, { code: 'config.exposed-secret', path: 'gateway' }],
  [
    'excluded commands, which interpreters bypass',
    withClaude('  bash: {enabled: true, excluded_commands: [rm]}'),
    { code: 'config.hint', path: 'claude.bash.excluded_commands' },
  ],
  [
    'excluded commands without a shell',
    withClaude('  bash: {excluded_commands: [rm]}'),
    { code: 'config.no-effect', path: 'claude.bash.excluded_commands' },
  ],
  [
    'a thinking budget on a model that decides itself',
    withClaude('  extended_thinking: {enabled: true}').replace('name: high', 'name: claude-sonnet-4-6'),
    { code: 'config.hint', path: 'claude.extended_thinking' },
  ],
  [
    'effort together with thinking',
    withClaude('  effort: high\n  extended_thinking: {enabled: true}'),
    { code: 'config.hint', path: 'claude.effort' },
  ],
  [
    'an unknown tool',
    withClaude('  allowed_tools: [Bsh]'),
    { code: 'config.no-effect', path: 'claude.allowed_tools[0]', suggestion: 'Bash' },
  ],
  [
    'an allowed tool that is disabled',
    withClaude('  allowed_tools: [Read]'),
    { message: 'Read stays disabled: claude.file_system.read is not true' },
  ],
  ['edit without read', withClaude('  file_system: {edit: true}'), { path: 'claude.file_system.edit' }],
  [
    'named agents that are disabled',
    withClaude('  subagents: {enabled: false}\n  agents: {a: {description: d, prompt: p}}'),
    { code: 'config.no-effect', path: 'claude.agents' },
  ],
  ['a model without a price', withModel('  name: claude-next\n'), { code: 'config.price-unknown', path: 'model.name' }],
  [
    'a retired model',
    withModel('  name: claude-opus-4-20250514\n'),
    { message: '"claude-opus-4-20250514" runs as claude-opus-5-5: the provider substitutes that model' },
  ],
  [
    'an unknown fallback model',
    withClaude('  fallback_model: claude-haiku-9'),
    { code: 'config.price-unknown', path: 'claude.fallback_model' },
  ],
  [
    'allow_unsafe for a disabled shell',
    withClaude('  bash: {allow_unsafe: true}'),
    { code: 'config.no-effect', path: 'claude.bash.allow_unsafe' },
  ],
  [
    'a budget for disabled thinking',
    withClaude('  extended_thinking: {budget_tokens: 2000}'),
    { code: 'config.no-effect', path: 'claude.extended_thinking.budget_tokens' },
  ],
  [
    'max_parallel for disabled subagents',
    withClaude('  subagents: {max_parallel: 2}'),
    { code: 'config.no-effect', path: 'claude.subagents.max_parallel' },
  ],
  [
    'settings of the home folder',
    withClaude('  setting_sources: [user, project]'),
    { code: 'config.no-effect', path: 'claude.setting_sources' },
  ],
  [
    'an unknown subagent model',
    withClaude('  agents: {a: {description: d, prompt: p, model: claude-next}}'),
    { code: 'config.price-unknown', path: 'claude.agents.a.model' },
  ],
]

describe('an agent file with an error', () => {
  it.each(errors)('is refused: %s', async (_, text, expected) => {
    const problems = await problemsWith(text)
    expect(problems).toContainEqual(expect.objectContaining({ severity: 'error', ...expected }))
  })
})

describe('an agent file with a warning', () => {
  it.each(warnings)('loads: %s', async (_, text, expected) => {
    const project = await tempProject(
      { 'agent.yaml': text },
      { ANTHROPIC_API_KEY: madeUpKey, ANTHROPIC_AUTH_TOKEN: madeUpKey },
    )
    const { agent, problems } = await project.load()
    expect(problems).toContainEqual(expect.objectContaining({ severity: 'warning', ...expected }))
    expect(agent).not.toBeNull()
  })
})

describe('a valid agent file', () => {
  it.each([
    ['confirmed acceptAll', withClaude('  permission_mode: acceptAll\n  i_understand_this_is_unsafe: true')],
    ['plan', withClaude('  permission_mode: plan')],
    ['claude settings on the simulator', withClaude('  bash: {enabled: true}').replace('anthropic', 'simulator')],
    [
      'the simulator without a model name',
      minimalAgent.replace('anthropic', 'simulator').replace('  name: high\n', ''),
    ],
    ['any name for an Ollama model', minimalAgent.replace('anthropic', 'ollama').replace('high', 'claude-sonet-4')],
    ['an endpoint on this machine', withModel('  name: high\n  endpoint: http://127.0.0.1:4000\n')],
    ['instructions from a file', withInstructions('  file: prompt.md\n')],
    ['the gateway as a boolean', `${minimalAgent}gateway: true\n`],
    [
      'a thinking budget that the model supports',
      withClaude('  extended_thinking: {enabled: true, budget_tokens: 2000}'),
    ],
    ['a dollar limit on a priced model', `${minimalAgent}limits: {max_budget_usd: 1}\n`],
    ['a tier as fallback model', withClaude('  fallback_model: low')],
    ['settings of the project', withClaude('  setting_sources: [project, local]')],
    ['allow_unsafe: false for a disabled shell', withClaude('  bash: {allow_unsafe: false}')],
    ['an agent with AskUserQuestion only', withClaude('  allowed_tools: [AskUserQuestion]')],
    ['no expiry', `${minimalAgent}approvals: {expires_after: never}\n`],
  ])('loads without problems: %s', async (_, text) => {
    expect(await problemsWith(text)).toEqual([])
  })
})

describe('CLAUDE.md in the working directory', () => {
  it.each([
    ['', 'is not loaded'],
    ['claude: {setting_sources: [project]}\n', 'is loaded in addition to the instructions'],
  ])('causes a collision warning that says whether it is loaded (%s)', async (lines, expectedText) => {
    const project = await tempProject({ 'agent.yaml': minimalAgent + lines, 'CLAUDE.md': '# rules' })
    const { problems } = await project.load()
    expect(problems).toEqual([expect.objectContaining({ severity: 'warning', code: 'config.collision' })])
    expect(problems[0]?.message).toContain(expectedText)
  })
})

it('accepts any name for an Azure deployment', async () => {
  const text = minimalAgent
    .replace('anthropic', 'azure_openai')
    .replace('name: high', 'name: claude-sonet-4\n  endpoint: https://x.openai.azure.com')
  const project = await tempProject({ 'agent.yaml': text }, { AZURE_OPENAI_API_KEY: madeUpKey })
  expect((await project.load()).problems).toEqual([])
})

describe('limits', () => {
  it.each([
    ['limits: {max_turns: 30}\nclaude: {max_turns: 10}\n', 10],
    ['limits: {max_turns: 10}\nclaude: {max_turns: 30}\n', 10],
    ['claude: {max_turns: 80}\n', 80],
    ['limits: {max_turns: 80}\n', 80],
  ])('use the lower of two values: %s', async (lines, turns) => {
    const project = await tempProject({ 'agent.yaml': minimalAgent + lines })
    expect((await project.load()).agent?.limits.maxTurns).toBe(turns)
  })
})

it.each(['allow', 'deny'])('refuses an approvals.%s rule for a tool that does not exist', async (list) => {
  const problems = await problemsWith(`${minimalAgent}approvals: {${list}: ['Bsh(rm*)']}\n`)
  expect(problems).toContainEqual(
    expect.objectContaining({ severity: 'error', path: `approvals.${list}[0]`, suggestion: 'Bash' }),
  )
})
