// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { findModel } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { minimalAgent, tempProject } from '../testing/temp-project.ts'
import { serverKeys } from '../yaml/secret-paths.ts'
import { serverBlocks } from './server-blocks.ts'

const price = (input: number): string => `price: {input: ${input}, output: 20, cache_read: 0.2, cache_write: 5}`

describe('config.yaml', () => {
  it('sets the price of a model, so that a dollar limit applies', async () => {
    const text = `${minimalAgent.replace('name: high', 'name: claude-next')}limits: {max_budget_usd: 1}\n`
    const project = await tempProject({ 'agent.yaml': text, 'config.yaml': `models:\n  claude-next: {${price(4)}}\n` })
    const { agent, catalog, problems } = await project.load()
    expect(problems).toEqual([])
    expect(agent?.model.id).toBe('claude-next')
    expect(findModel('claude-next', catalog)).toMatchObject({
      price: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
      tier: 'high',
      label: 'claude-next',
    })
  })

  it('changes a known model by id or alias and keeps its other fields', async () => {
    const config = 'models:\n  claude-sonnet-4-5: {tier: low}\n'
    const project = await tempProject({ 'agent.yaml': minimalAgent, 'config.yaml': config })
    const { catalog } = await project.load()
    expect(findModel('claude-sonnet-4-5-20250929', catalog)).toMatchObject({
      tier: 'low',
      label: 'Claude Sonnet 4.5',
      price: { input: 3, output: 15 },
    })
  })

  it('sets the label and the context window of a model', async () => {
    const config = 'models:\n  claude-next: {label: The next one, context_window: 9000}\n'
    const project = await tempProject({ 'agent.yaml': minimalAgent, 'config.yaml': config })
    const { catalog } = await project.load()
    expect(findModel('claude-next', catalog)).toMatchObject({ label: 'The next one', contextWindow: 9000 })
    expect(findModel('claude-opus-4-5', catalog)).toMatchObject({ label: 'Claude Opus 4.5', contextWindow: 200_000 })
  })

  it('overrides farther files and keeps settings it does not mention', async () => {
    const project = await tempProject({
      'a/agent.yaml': minimalAgent,
      'a/config.yaml': 'models:\n  claude-next: {tier: pro}\n',
      'config.yaml': `gateway: off\nmodels:\n  claude-next: {${price(9)}}\n  other: {${price(1)}}\n`,
      '../home/.quarterdeck/config.yaml': `gateway: on\nmodel_source: simulator\nmodels:\n  claude-next: {tier: low}\n`,
    })
    const { agent, catalog } = await project.load('a/agent.yaml', { modelSource: 'provider' })
    expect(agent?.gateway).toBe(false)
    expect(findModel('claude-next', catalog)).toMatchObject({ tier: 'pro', price: { input: 9 } })
    expect(findModel('other', catalog)?.price?.input).toBe(1)
  })

  it('is overridden by the agent file', async () => {
    const project = await tempProject({ 'agent.yaml': `${minimalAgent}gateway: on\n`, 'config.yaml': 'gateway: off\n' })
    expect((await project.load()).agent?.gateway).toBe(true)
  })

  it('does not force the gateway on a provider that cannot use it', async () => {
    const text = minimalAgent.replace('name: high', 'name: high\n  auth_provider: oauth_token')
    const project = await tempProject(
      { 'agent.yaml': text, 'config.yaml': 'gateway: on\n' },
      { CLAUDE_CODE_OAUTH_TOKEN: 'x' },
    )
    const { agent, problems } = await project.load()
    expect(agent?.gateway).toBe(false)
    expect(problems).toEqual([expect.objectContaining({ severity: 'warning', code: 'config.exposed-secret' })])
  })

  it.each([
    ['model_sorce: auto', { code: 'config.unknown-key', suggestion: 'model_source', line: 1 }],
    ['deployment: {port: 1}', { code: 'config.unsupported', message: 'not supported yet: deployment' }],
    ['models: {x: {context_window: 0}}', { path: 'models.x.context_window' }],
    ['rate_limit_tier: 7', { code: 'config.invalid', path: 'rate_limit_tier' }],
    ['gateway: {merge_windw_ms: 9}', { code: 'config.unknown-key', suggestion: 'merge_window_ms' }],
    ['budgets: [{scope: user, period: day, limit: 1}]', { code: 'config.invalid', path: 'budgets[0]' }],
    ['webhooks: [{url: "http://a", secret: short, events: [TurnEnded]}]', { path: 'webhooks[0].secret' }],
    ['webhooks: [{url: "http://a", secret: 0123456789abcdef, events: [TurnEnd]}]', { suggestion: 'TurnEnded' }],
    ['model_source: cloud', { code: 'config.invalid', path: 'model_source' }],
    ['models: {x: {price: {input: 1}}}', { code: 'config.missing-key', path: 'models.x.price.output' }],
    ['gateway: "${NOPE}"', { code: 'config.missing-variable' }],
    ['a: [', { code: 'config.malformed-yaml' }],
    ['- list', { code: 'config.invalid', message: 'the file must be a map; found a list' }],
  ])('stops the agent from loading when it is invalid: %s', async (text, expected) => {
    const project = await tempProject({ 'agent.yaml': minimalAgent, 'config.yaml': text })
    const { agent, problems } = await project.load()
    expect(agent).toBeNull()
    expect(problems).toContainEqual(
      expect.objectContaining({ severity: 'error', file: project.path('config.yaml'), ...expected }),
    )
  })

  it('may be empty', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent, 'config.yaml': '# nothing yet\n' })
    expect((await project.load()).problems).toEqual([])
  })
})

describe('.env', () => {
  const text = `${minimalAgent.replace('anthropic', 'simulator')}description: "\${WHO}"\n`

  it.each([
    ['the shell', { WHO: 'shell' }, 'shell'],
    ['the folder of the agent', {}, 'beside'],
  ])('takes precedence in order: %s first', async (_, env: Record<string, string>, who) => {
    const project = await tempProject({ 'a/agent.yaml': text, 'a/.env': 'WHO=beside', '.env': 'WHO=cwd\n' }, env)
    expect((await project.load('a/agent.yaml')).agent?.description).toBe(who)
  })

  it('of the working directory has the lowest precedence', async () => {
    const project = await tempProject(
      { 'a/agent.yaml': text, 'a/.env': 'OTHER=x', '.env': 'WHO="from cwd" # comment\n' },
      {},
    )
    expect((await project.load('a/agent.yaml')).agent?.description).toBe('from cwd')
  })

  it('may contain the key', async () => {
    const project = await tempProject(
      { 'agent.yaml': minimalAgent, '.env': 'ANTHROPIC_API_KEY=made-up-key-in-env' },
      {},
    )
    const { agent, credentials } = await project.load()
    expect(agent?.modelSource).toBe('provider')
    expect(credentials.env.ANTHROPIC_API_KEY).toBe('made-up-key-in-env')
  })

  it('is an error when it cannot be read', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent, '.env/x': '' })
    expect((await project.load()).problems).toEqual([
      expect.objectContaining({ code: 'config.unreadable', file: project.path('.env') }),
    ])
  })
})

it('lists every server block in serverKeys', () => {
  expect(serverKeys.toSorted()).toEqual(Object.keys(serverBlocks).toSorted())
})
