// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { describe, expect, it } from 'vitest'
import { madeUpKey, minimalAgent, tempProject } from '../testing/temp-project.ts'

const layers = {
  flag: 'simulator',
  env: 'auto',
  agent: 'provider',
  beside: 'simulator',
  cwd: 'auto',
  user: 'simulator',
} as const

describe('the requested model source', () => {
  it.each([
    [['flag', 'env', 'agent', 'beside', 'cwd', 'user'], 'simulator'],
    [['env', 'agent', 'beside', 'cwd', 'user'], 'auto'],
    [['agent', 'beside', 'cwd', 'user'], 'provider'],
    [['beside', 'cwd', 'user'], 'simulator'],
    [['cwd', 'user'], 'auto'],
    [['user'], 'simulator'],
    [[], 'provider'],
  ] as const)('comes from the first of %j: %s', async (given, requested) => {
    const valueFor = (layer: keyof typeof layers): string =>
      (given as readonly string[]).includes(layer) ? layers[layer] : ''
    const line = (layer: keyof typeof layers): string =>
      valueFor(layer) === '' ? '' : `model_source: ${valueFor(layer)}\n`
    const project = await tempProject(
      {
        'a/agent.yaml': minimalAgent + line('agent'),
        'a/config.yaml': line('beside'),
        'config.yaml': line('cwd'),
        '../home/.quarterdeck/config.yaml': line('user'),
      },
      {
        ANTHROPIC_API_KEY: madeUpKey,
        ...(valueFor('env') === '' ? {} : { QUARTERDECK_MODEL_SOURCE: valueFor('env') }),
      },
    )
    const flag = valueFor('flag') === '' ? undefined : layers.flag
    const loaded = await project.load('a/agent.yaml', { modelSource: flag })
    expect(loaded.problems).toEqual([])
    expect(loaded.requestedModelSource).toBe(requested)
  })

  it('must be a known value in the environment', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent }, { QUARTERDECK_MODEL_SOURCE: 'cloud' })
    const { problems } = await project.load()
    expect(problems[0]).toMatchObject({
      code: 'config.invalid',
      message: 'QUARTERDECK_MODEL_SOURCE must be one of provider, simulator, auto',
    })
  })
})

describe('without a key', () => {
  it('reports the variable to set and the offline alternative', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent }, {})
    const { agent, problems } = await project.load()
    expect(agent).toBeNull()
    expect(problems).toEqual([
      {
        severity: 'error',
        code: 'config.missing-credential',
        message: 'ANTHROPIC_API_KEY is not set. Set it, or try the agent offline with --model-source simulator',
        file: project.path('agent.yaml'),
        line: 3,
        column: 3,
        path: 'model.provider',
      },
    ])
  })

  it('names the variable that the file references', async () => {
    const text = minimalAgent.replace('name: high', 'name: high\n  api_key: ${TEAM_KEY}')
    const project = await tempProject({ 'agent.yaml': text }, { ANTHROPIC_API_KEY: madeUpKey })
    const { problems } = await project.load()
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'config.missing-credential',
        path: 'model.api_key',
        message: expect.stringMatching(/^TEAM_KEY is not set/),
      }),
    ])
  })

  it('accepts the simulator from a flag, the file or the provider', async () => {
    const files = {
      'agent.yaml': minimalAgent.replace('name: high', 'name: high\n  api_key: ${TEAM_KEY}'),
      'file.agent.yaml': `${minimalAgent}model_source: simulator\n`,
      'provider.agent.yaml': minimalAgent.replace('anthropic', 'simulator'),
    }
    const project = await tempProject(files, {})
    expect((await project.load('agent.yaml', { modelSource: 'simulator' })).agent?.modelSource).toBe('simulator')
    expect((await project.load('file.agent.yaml')).agent?.modelSource).toBe('simulator')
    expect((await project.load('provider.agent.yaml', { modelSource: 'provider' })).agent?.modelSource).toBe(
      'simulator',
    )
  })

  it('chooses the simulator for auto and announces it', async () => {
    const project = await tempProject({ 'agent.yaml': `${minimalAgent}model_source: auto\n` }, {})
    const { agent, announcement, requestedModelSource } = await project.load()
    expect(agent).toMatchObject({
      modelSource: 'simulator',
      gateway: true,
      model: { id: 'claude-sonnet-4-5-20250929' },
    })
    expect(announcement).toBe(
      'no key: local simulator, nothing is sent anywhere (set ANTHROPIC_API_KEY to use the provider)',
    )
    expect(requestedModelSource).toBe('auto')
  })

  it('warns when only the file is checked', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent }, {})
    const { agent, problems } = await project.load('agent.yaml', { credentials: 'note' })
    expect(agent).not.toBeNull()
    expect(problems).toEqual([expect.objectContaining({ severity: 'warning', code: 'config.missing-credential' })])
  })
})

it('chooses the provider for auto without an announcement when a key is set', async () => {
  const project = await tempProject({ 'agent.yaml': `${minimalAgent}model_source: auto\n` })
  expect(await project.load()).toMatchObject({ announcement: null, agent: { modelSource: 'provider' } })
})
