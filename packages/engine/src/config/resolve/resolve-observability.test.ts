// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import type { TraceSettings } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { declaredSecrets } from '../credentials/credentials.ts'
import { isError } from '../problems/problem.ts'
import { createAgentRegistry } from '../registry/agent-registry.ts'
import { minimalAgent, tempProject } from '../testing/temp-project.ts'

const key = 'made-up-collector-key'
const simulated = `${minimalAgent}model_source: simulator\n`

async function settingsOf(
  block: string,
  { env = {}, config }: { readonly env?: Readonly<Record<string, string>>; readonly config?: string } = {},
): Promise<TraceSettings | null> {
  const files = { 'agent.yaml': simulated + block, ...(config === undefined ? {} : { 'config.yaml': config }) }
  const { agent, problems } = await (await tempProject(files, env)).load()
  expect(problems.filter(isError)).toEqual([])
  return agent?.observability ?? null
}

const problemsOf = async (block: string) =>
  (await (await tempProject({ 'agent.yaml': simulated + block }, { COLLECTOR_KEY: key })).load()).problems

const toOtlp = (fields = ''): string => `observability: {enabled: true, exporters: {otlp: {${fields}}}}\n`

describe('observability settings', () => {
  it('observability.enabled: export is disabled unless it is true', async () => {
    expect(await settingsOf('')).toBeNull()
    expect(await settingsOf('observability: {exporters: {otlp: {}}}\n')).toBeNull()
    expect(await settingsOf(toOtlp())).not.toBeNull()
  })

  it('warn that a collector from the environment gets nothing unless the file enables or disables it', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other:4318' }
    const codesFor = async (block: string) =>
      (await (await tempProject({ 'agent.yaml': simulated + block }, env)).load()).problems.map(({ code }) => code)
    expect(await codesFor('')).toEqual(['config.hint'])
    expect(await codesFor('observability: {service_name: triage-eu}\n')).toEqual(['config.hint'])
    expect(await codesFor('observability: {enabled: false}\n')).toEqual([])
    expect(await codesFor('observability: {enabled: true}\n')).toEqual([])
  })

  it('observability.traces.enabled: false disables the export', async () => {
    expect(await settingsOf('observability: {enabled: true, traces: {enabled: false}}\n')).toBeNull()
  })

  it('observability.exporters.console.enabled: exports to the process log, which is also the default', async () => {
    expect(await settingsOf('observability: {enabled: true}\n')).toMatchObject({ console: true, otlp: null })
    expect(await settingsOf(toOtlp())).toMatchObject({ console: false })
    const both = 'observability: {enabled: true, exporters: {console: {enabled: true}, otlp: {}}}\n'
    expect(await settingsOf(both)).toMatchObject({ console: true, otlp: {} })
  })

  it('observability.exporters.otlp.enabled: false disables the collector', async () => {
    expect(await settingsOf(toOtlp('enabled: false'))).toMatchObject({ console: true, otlp: null })
  })

  it('observability.exporters.otlp.endpoint: is extended with the path for traces', async () => {
    const endpointOf = async (fields: string, env: Readonly<Record<string, string>> = {}) =>
      (await settingsOf(toOtlp(fields), { env }))?.otlp?.endpoint
    expect(await endpointOf('')).toBe('http://localhost:4318/v1/traces')
    expect(await endpointOf('endpoint: "https://c.example/otlp/"')).toBe('https://c.example/otlp/v1/traces')
    expect(await endpointOf('endpoint: "https://c.example/v1/traces"')).toBe('https://c.example/v1/traces')
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other:4318' }
    expect(await endpointOf('endpoint: "https://c.example"', env)).toBe('http://other:4318/v1/traces')
    const exact = { ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:1/x' }
    expect(await endpointOf('', exact)).toBe('http://traces:1/x')
  })

  it('use the collector of the environment when the file names none', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other:4318' }
    const found = await settingsOf('observability: {enabled: true}\n', { env })
    expect(found).toMatchObject({ console: false, otlp: { endpoint: 'http://other:4318/v1/traces' } })
  })

  it('observability.exporters.otlp.headers: names are in the definition, values only in the secrets', async () => {
    const block = toOtlp('headers: {Authorization: "Bearer ${COLLECTOR_KEY}", X-Team: a}')
    const env = { COLLECTOR_KEY: key, OTEL_EXPORTER_OTLP_HEADERS: 'x-Team=b,x-more=from%20outside' }
    const project = await tempProject({ 'agent.yaml': simulated + block }, env)
    const { agent, problems, credentials } = await project.load()
    expect(problems).toEqual([])
    expect(agent?.observability?.otlp?.headers).toEqual(['authorization', 'x-team', 'x-more'])
    expect(JSON.stringify(agent)).not.toContain(key)
    expect(declaredSecrets(credentials)).toEqual(expect.arrayContaining([`Bearer ${key}`, key, 'from outside']))
    const registry = createAgentRegistry({ ...project.options, paths: [project.folder] })
    expect(await registry.collectorHeaders('triage')).toEqual({
      authorization: `Bearer ${key}`,
      'x-team': 'b',
      'x-more': 'from outside',
    })
  })

  it('observability.exporters.otlp.timeout_ms: and observability.exporters.otlp.compression: are resolved with defaults', async () => {
    expect(await settingsOf(toOtlp())).toMatchObject({ otlp: { timeoutMs: 30_000, compression: 'none' } })
    const settings = await settingsOf(toOtlp('timeout_ms: 5000, compression: gzip, protocol: http'))
    expect(settings).toMatchObject({ otlp: { timeoutMs: 5000, compression: 'gzip' } })
  })

  it('observability.service_name: and observability.resource_attributes: identify the service', async () => {
    expect(await settingsOf(toOtlp())).toMatchObject({ serviceName: 'quarterdeck-triage', resource: {} })
    const block =
      'observability: {enabled: true, service_name: triage-eu, resource_attributes: {region: eu, shard: 2}}\n'
    expect(await settingsOf(block)).toMatchObject({ serviceName: 'triage-eu', resource: { region: 'eu', shard: 2 } })
    expect(await settingsOf(block, { env: { OTEL_SERVICE_NAME: 'other' } })).toMatchObject({ serviceName: 'other' })
    const attribute = 'observability: {enabled: true, resource_attributes: {service.name: inner}}\n'
    expect(await settingsOf(attribute)).toMatchObject({ serviceName: 'inner', resource: {} })
    expect(await settingsOf(attribute, { env: { OTEL_SERVICE_NAME: 'other' } })).toMatchObject({ serviceName: 'other' })
  })

  it('come from config.yaml unless the agent file overrides them', async () => {
    const config = `observability: {enabled: true, service_name: shared, exporters: {otlp: {endpoint: "http://c:4318"}}}\n`
    const otlp = { endpoint: 'http://c:4318/v1/traces' }
    expect(await settingsOf('', { config })).toMatchObject({ serviceName: 'shared', otlp })
    const own = await settingsOf('observability: {service_name: own}\n', { config })
    expect(own).toMatchObject({ serviceName: 'own', otlp })
    expect(await settingsOf('observability: {enabled: false}\n', { config })).toBeNull()
  })
})

describe('wrong observability settings', () => {
  it.each([
    ['config.invalid', toOtlp('endpoint: "localhost:4318"')],
    ['config.invalid', toOtlp('endpoint: "http://me:pass@localhost:4318"')],
    ['config.invalid', toOtlp('endpoint: "http://key@localhost:4318"')],
    ['config.invalid', toOtlp('headers: {"not a name": a}')],
    ['config.invalid', 'observability: {enabled: true, traces: {max_queue_size: 5, max_export_batch_size: 6}}\n'],
    ['config.invalid', 'observability: {enabled: true, traces: {sample_rate: 2}}\n'],
    ['config.unknown-key', 'observability: {enabled: true, tracing: {}}\n'],
    ['config.exposed-secret', 'observability: {enabled: true, service_name: "${COLLECTOR_KEY}"}\n'],
  ])('are refused: %s in %s', async (code, block) => {
    expect((await problemsOf(block)).filter(isError)).toEqual([expect.objectContaining({ code })])
  })

  it.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://key@localhost:4318' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://me:pass@localhost:4318' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' },
  ])('are refused in the environment without showing the address: %j', async (env) => {
    for (const block of [toOtlp('endpoint: "http://localhost:4318"'), 'observability: {enabled: true}\n']) {
      const { problems } = await (await tempProject({ 'agent.yaml': simulated + block }, env)).load()
      const [name = '', value = ''] = Object.entries(env).flat()
      expect(problems).toEqual([
        expect.objectContaining({ severity: 'error', code: 'config.invalid', message: expect.stringContaining(name) }),
      ])
      expect(JSON.stringify(problems)).not.toContain(value)
    }
    const off = await tempProject({ 'agent.yaml': simulated + toOtlp('enabled: false') }, env)
    expect((await off.load()).problems).toEqual([])
  })

  it.each([
    ['config.hint', toOtlp('endpoint: "http://localhost:4317"')],
    ['config.exposed-secret', toOtlp('headers: {authorization: written-in-the-file}')],
  ])('cause a warning: %s in %s', async (code, block) => {
    expect(await problemsOf(block)).toEqual([expect.objectContaining({ severity: 'warning', code })])
  })
})
