// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { isQuarterdeckError } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { minimalAgent, tempProject } from '../testing/temp-project.ts'
import { readServerSettings } from './server-settings.ts'

const secret = 'made-up-webhook-secret'

async function settingsOf(text: string, env: Record<string, string> = { HOOK_SECRET: secret }) {
  const project = await tempProject({ 'config.yaml': text }, env)
  return readServerSettings(project.options)
}

const problemsOf = async (text: string) =>
  settingsOf(text).then(
    () => [],
    (error: unknown) => (isQuarterdeckError(error) ? error.facts.problems : error),
  )

describe('server settings', () => {
  it('have defaults when no file sets them', async () => {
    const project = await tempProject()
    expect(await readServerSettings(project.options)).toMatchObject({
      rate: { tier: 1, isTierExplicit: false, limits: null, shapesSimulator: false },
      gateway: { mergeWindowMs: 50, maxRetries: null },
      processes: {},
      deleteAfterMs: null,
      webhooks: [],
      budgets: [],
      secrets: [],
    })
  })

  it('are read from config.yaml, with durations as text and secrets from the environment', async () => {
    const settings = await settingsOf(`
rate_limit_tier: 2
gateway:
  merge_window_ms: 0
  max_retries: 3
  rate: { requests: 10, input_tokens: 20000, output_tokens: 3000, window: 5s }
  shape_simulator: true
processes: { max_resident: 6, hibernate_after: 90s, recycle_above_mib: 512, spares: false }
retention: { delete_after: 90d }
webhooks:
  - { url: https://example.org/hook, secret: "\${HOOK_SECRET}", events: [TurnEnded, ApprovalRequested] }
budgets:
  - { scope: user, subject: "*", period: day, limit: 2.5 }
  - { scope: all, period: month, unit: units, limit: 1000000 }
models: { claude-haiku-4-5: { cache_weights: { read: 0.1, write: 1.25 } } }
`)
    expect(settings).toMatchObject({
      rate: {
        tier: 2,
        isTierExplicit: true,
        limits: { requests: 10, inputTokens: 20_000, outputTokens: 3000, windowMs: 5000 },
        shapesSimulator: true,
      },
      gateway: { mergeWindowMs: 0, maxRetries: 3 },
      deleteAfterMs: 90 * 86_400_000,
      webhooks: [{ url: 'https://example.org/hook', secret, events: ['TurnEnded', 'ApprovalRequested'] }],
      budgets: [
        { scope: 'user', subject: '*', period: 'day', unit: 'usd', limit: 2.5 },
        { scope: 'all', period: 'month', unit: 'units', limit: 1_000_000 },
      ],
      secrets: [secret],
      warnings: [],
    })
    expect(settings.processes).toEqual({
      maxResident: 6,
      hibernateAfterMs: 90_000,
      recycleAboveBytes: 512 * 1024 * 1024,
      spares: false,
    })
    expect(settings.catalog.find(({ id }) => id === 'claude-haiku-4-5')?.weights).toEqual({ read: 0.1, write: 1.25 })
  })

  it('of the nearer file override the farther one and keep settings it does not mention', async () => {
    const project = await tempProject({
      'config.yaml': 'processes: { max_resident: 3, hibernate_after: 1m }\n',
      '../home/.quarterdeck/config.yaml':
        'rate_limit_tier: 4\nprocesses: { max_resident: 9, max_running_turns: 5, hibernate_after: 2m }\n',
    })
    const { rate, processes } = await readServerSettings(project.options)
    expect(rate.tier).toBe(4)
    expect(processes).toEqual({ maxResident: 3, maxRunningTurns: 5, hibernateAfterMs: 60_000 })
  })

  it("of the nearer file override single values: `never` for deletion, a rate without the other file's window", async () => {
    const rate = 'requests: 10, input_tokens: 20000, output_tokens: 3000'
    const project = await tempProject({
      'config.yaml': `retention: { delete_after: never }\ngateway: { rate: { ${rate} } }\n`,
      '../home/.quarterdeck/config.yaml': `retention: { delete_after: 90d }\ngateway: { rate: { ${rate}, window: 5s } }\n`,
    })
    const settings = await readServerSettings(project.options)
    expect(settings.deleteAfterMs).toBeNull()
    expect(settings.rate.limits?.windowMs).toBe(60_000)
  })

  it('identify a webhook by its address, so that waiting deliveries survive a change of its events', async () => {
    const idOf = async (url: string, events: string) =>
      (await settingsOf(`webhooks: [{url: "${url}", secret: "\${HOOK_SECRET}", events: [${events}]}]`)).webhooks[0]?.id
    const id = await idOf('https://example.org/hook', 'TurnEnded')
    expect(await idOf('https://example.org/hook', 'TurnEnded, ApprovalRequested')).toBe(id)
    expect(await idOf('https://example.org/other', 'TurnEnded')).not.toBe(id)
  })

  it.each([
    ['gateway: off\nprocesses: {hibernate_after: soon}', { path: 'processes.hibernate_after', line: 2 }],
    ['retention: {delete_after: 40000d}', { path: 'retention.delete_after' }],
    ['processes: {max_residents: 3}', { code: 'config.unknown-key', suggestion: 'max_resident' }],
    [
      'webhooks: [{url: "http://a", secret: "${NOT_SET_ANYWHERE}", events: [TurnEnded]}]',
      { code: 'config.missing-variable' },
    ],
    [
      'webhooks:\n- {url: "http://a", secret: "${HOOK_SECRET}", events: [TurnEnded]}\n- {url: "http://a/", secret: "${HOOK_SECRET}", events: [ApprovalRequested]}',
      { path: 'webhooks[1].url', line: 3 },
    ],
    [
      `webhooks: [{url: "http://a", secret: ${['whsec', 'not/base64/of_anything'].join('_')}, events: [TurnEnded]}]`,
      { path: 'webhooks[0].secret', message: expect.stringContaining('base64') },
    ],
    ['budgets: [{scope: all, subject: ana, period: day, limit: 1}]', { path: 'budgets[0]' }],
  ])('that are wrong are reported with their position: %s', async (text, expected) => {
    expect(await problemsOf(text)).toContainEqual(expect.objectContaining(expected))
  })

  it('warn about a secret written in the file', async () => {
    const text = `webhooks: [{url: "http://a", secret: ${secret}, events: [TurnEnded]}]`
    expect((await settingsOf(text)).warnings).toMatchObject([{ code: 'config.exposed-secret', severity: 'warning' }])
  })
})

describe('agents in a folder with server settings', () => {
  it.each([
    'webhooks: [{url: "http://a", secret: "${NOT_SET_ANYWHERE}", events: [TurnEnded]}]\n',
    'budgets: [{scope: all, period: day, limit: "${NOT_SET_ANYWHERE}"}]\n',
    'processes: {max_resident: "${NOT_SET_ANYWHERE}"}\n',
  ])('load without variables that only the server needs: %s', async (text) => {
    const project = await tempProject({ 'agent.yaml': minimalAgent, 'config.yaml': text })
    expect((await project.load()).problems).toEqual([])
  })

  it('warn that server settings in the agent folder have no effect', async () => {
    const project = await tempProject({ 'a/agent.yaml': minimalAgent, 'a/config.yaml': 'rate_limit_tier: 2\n' })
    expect((await project.load('a/agent.yaml')).problems).toMatchObject([
      { code: 'config.no-effect', severity: 'warning', path: 'rate_limit_tier' },
    ])
  })

  it('can leave the choice of the model to the rules', async () => {
    const project = await tempProject({ 'agent.yaml': minimalAgent.replace('name: high', 'name: auto') })
    const { agent, problems } = await project.load()
    expect(problems).toEqual([])
    expect(agent?.model).toMatchObject({ name: 'auto', id: 'auto' })
  })
})

it('a command runs despite wrong settings that only a server uses, and still knows the secrets', async () => {
  const text = `
processes: { max_resident: 3 }
budgets: [{ scope: nobody, period: day, limit: 1 }]
retention: { delete_after: soon }
webhooks:
  - { url: https://example.org/a, secret: "\${HOOK_SECRET}", events: [TurnEnded] }
  - { url: https://example.org/b, secret: "\${NOT_SET}", events: [TurnEnded] }
`
  const { options } = await tempProject({ 'config.yaml': text }, { HOOK_SECRET: secret })
  await expect(readServerSettings({ ...options, role: 'server' })).rejects.toThrow(/NOT_SET/)
  const settings = await readServerSettings({ ...options, role: 'command' })
  expect(settings).toMatchObject({ processes: { maxResident: 3 }, deleteAfterMs: null, warnings: [] })
  expect(settings.secrets).toEqual([secret])
  const wrong = await tempProject({ 'config.yaml': 'processes: { max_resident: none }\n' })
  await expect(readServerSettings({ ...wrong.options, role: 'command' })).rejects.toThrow(/max_resident/)
})

it('allow_unsandboxed: is read only from the config file in the home folder', async () => {
  const written = 'allow_unsandboxed: true\n'
  const project = await tempProject({ 'config.yaml': written, 'home/.quarterdeck/other': '' })
  const options = { cwd: project.folder, homeDir: project.path('home'), env: {} }
  expect(await readServerSettings(options)).toMatchObject({
    allowUnsandboxed: false,
    warnings: [{ code: 'config.no-effect', path: 'allow_unsandboxed' }],
  })
  await project.write('home/.quarterdeck/config.yaml', written)
  expect((await readServerSettings(options)).allowUnsandboxed).toBe(true)
})
