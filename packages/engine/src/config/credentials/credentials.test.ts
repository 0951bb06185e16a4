// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { inspect } from 'node:util'
import type { AgentDefinition } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { SignIn } from '../../ports/sign-in.ts'
import { minimalAgent, tempProject } from '../testing/temp-project.ts'
import { baseUrlOf } from './base-url.ts'
import { declaredSecrets, embeddingAccess, missingCredentials, providerAccess } from './credentials.ts'
import { createSecret } from './secret.ts'

const key = 'made-up-provider-key'
const cloud = {
  oauth_token: { CLAUDE_CODE_OAUTH_TOKEN: key },
  bedrock: { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'eu-central-1' },
  vertex: { CLAUDE_CODE_USE_VERTEX: 'true', CLOUD_ML_REGION: 'europe-west1', GCLOUD_PROJECT: 'p' },
  foundry: { CLAUDE_CODE_USE_FOUNDRY: '1', ANTHROPIC_FOUNDRY_RESOURCE: 'r' },
}

async function agentWith(lines: string, env: Record<string, string>): Promise<AgentDefinition> {
  const project = await tempProject(
    { 'agent.yaml': minimalAgent.replace('  name: high\n', `  name: high\n${lines}`) },
    env,
  )
  const { agent, problems } = await project.load()
  if (agent === null) throw new Error(problems.map(({ message }) => message).join('\n'))
  return agent
}

describe('missingCredentials', () => {
  it.each<[SignIn, Record<string, string>, string[]]>([
    ['api_key', {}, ['ANTHROPIC_API_KEY']],
    ['api_key', { ANTHROPIC_API_KEY: '  ' }, ['ANTHROPIC_API_KEY']],
    ['api_key', { ANTHROPIC_API_KEY: key }, []],
    ['api_key', { ANTHROPIC_AUTH_TOKEN: key }, ['ANTHROPIC_API_KEY']],
    ['custom', {}, ['ANTHROPIC_AUTH_TOKEN']],
    ['custom', { ANTHROPIC_AUTH_TOKEN: key }, []],
    ['oauth_token', { ANTHROPIC_API_KEY: key }, ['CLAUDE_CODE_OAUTH_TOKEN']],
    ['oauth_token', cloud.oauth_token, []],
    ['bedrock', {}, ['CLAUDE_CODE_USE_BEDROCK=1', 'AWS_REGION or AWS_DEFAULT_REGION']],
    ['bedrock', { CLAUDE_CODE_USE_BEDROCK: '0', AWS_DEFAULT_REGION: 'x' }, ['CLAUDE_CODE_USE_BEDROCK=1']],
    ['bedrock', cloud.bedrock, []],
    ['vertex', { CLAUDE_CODE_USE_VERTEX: '1', GOOGLE_CLOUD_PROJECT: 'p' }, ['CLOUD_ML_REGION']],
    ['vertex', cloud.vertex, []],
    ['foundry', { CLAUDE_CODE_USE_FOUNDRY: '1' }, ['ANTHROPIC_FOUNDRY_RESOURCE or ANTHROPIC_FOUNDRY_BASE_URL']],
    ['foundry', cloud.foundry, []],
    ['openai', { ANTHROPIC_API_KEY: key }, ['OPENAI_API_KEY']],
    ['openai', { OPENAI_API_KEY: key }, []],
    ['azure_openai', { OPENAI_API_KEY: key }, ['AZURE_OPENAI_API_KEY']],
    ['azure_openai', { AZURE_OPENAI_API_KEY: key }, []],
    ['ollama', {}, []],
  ])('for %s with %j returns %j', (authProvider, env, missing) => {
    expect(missingCredentials(authProvider, { env, apiKey: null })).toEqual(missing)
  })

  it('returns nothing when the file contains the key and the provider uses a key', () => {
    const source = { env: {}, apiKey: createSecret(key) }
    expect(missingCredentials('api_key', source)).toEqual([])
    expect(missingCredentials('custom', source)).toEqual([])
    expect(missingCredentials('openai', source)).toEqual([])
    expect(missingCredentials('bedrock', source)).toHaveLength(2)
  })
})

describe('providerAccess through the gateway', () => {
  it('returns the key as a header and the base URL of the provider', async () => {
    const env = { ANTHROPIC_API_KEY: key }
    const access = providerAccess(await agentWith('', env), { env, apiKey: null })
    expect(access).toMatchObject({ type: 'key', header: 'x-api-key', baseUrl: 'https://api.anthropic.com' })
    expect(access.type === 'key' && access.value.reveal()).toBe(key)
  })

  it('returns a bearer token for a custom provider at its endpoint', async () => {
    const env = { ANTHROPIC_AUTH_TOKEN: key }
    const agent = await agentWith('  auth_provider: custom\n  endpoint: http://127.0.0.1:9/api/\n', env)
    const access = providerAccess(agent, { env, apiKey: null })
    expect(access).toMatchObject({ type: 'key', header: 'authorization', baseUrl: 'http://127.0.0.1:9/api' })
    expect(access.type === 'key' && access.value.reveal()).toBe(`Bearer ${key}`)
  })

  it('prefers the key of the file over the environment', async () => {
    const env = { ANTHROPIC_API_KEY: 'another-made-up-key', MINE: key }
    const project = await tempProject(
      { 'agent.yaml': minimalAgent.replace('name: high', 'name: high\n  api_key: ${MINE}') },
      env,
    )
    const { agent, credentials } = await project.load()
    const access = agent && providerAccess(agent, credentials)
    expect(access?.type === 'key' && access.value.reveal()).toBe(key)
  })

  it('needs no credential for the simulator', async () => {
    const agent = await agentWith('', { QUARTERDECK_MODEL_SOURCE: 'simulator' })
    expect(providerAccess(agent, { env: {}, apiKey: null })).toEqual({ type: 'simulator' })
  })

  it('names a variable that disappeared after the file was loaded', async () => {
    const agent = await agentWith('', { ANTHROPIC_API_KEY: key })
    expect(() => providerAccess(agent, { env: {}, apiKey: null })).toThrow(
      expect.objectContaining({
        code: 'config.missing-credential',
        message: expect.stringContaining('ANTHROPIC_API_KEY'),
      }),
    )
  })
})

describe('providerAccess without the gateway', () => {
  it.each(Object.entries(cloud))('passes %s only its own variables', async (authProvider, own) => {
    const env = { ...own, ANTHROPIC_API_KEY: 'not-for-this-one', PATH: '/bin', OTHER_TOKEN: 'x' }
    const agent = await agentWith(`  auth_provider: ${authProvider}\n`, env)
    expect(agent.gateway).toBe(false)
    const access = providerAccess(agent, { env, apiKey: null })
    expect(access.type === 'environment' && access.variables.reveal()).toEqual(own)
  })

  it('passes the key itself when the gateway is off', async () => {
    const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: 'http://127.0.0.1:7' }
    const agent = { ...(await agentWith('', env)), gateway: false }
    const access = providerAccess(agent, { env, apiKey: null })
    expect(access.type === 'environment' && access.variables.reveal()).toEqual(env)
  })
})

describe('access to other providers', () => {
  const otherAgent = async (lines: string, env: Record<string, string>) => {
    const project = await tempProject({ 'agent.yaml': `name: a\ninstructions: {inline: Hi}\n${lines}` }, env)
    const { agent, problems, credentials } = await project.load()
    if (agent === null) throw new Error(problems.map(({ message }) => message).join('\n'))
    return { agent, credentials }
  }

  it.each<[string, Record<string, string>, object]>([
    [
      'model: {provider: openai, name: gpt-5}',
      { OPENAI_API_KEY: key },
      { header: 'authorization', baseUrl: 'https://api.openai.com/v1' },
    ],
    [
      'model: {provider: openai, name: gpt-5, endpoint: "http://127.0.0.1:9/v1/"}',
      { OPENAI_API_KEY: key },
      { baseUrl: 'http://127.0.0.1:9/v1' },
    ],
    [
      'model: {provider: azure_openai, name: chat, endpoint: "https://x.openai.azure.com/"}',
      { AZURE_OPENAI_API_KEY: key },
      { header: 'api-key', baseUrl: 'https://x.openai.azure.com' },
    ],
    [
      'model: {provider: azure_openai, name: chat}',
      { AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_ENDPOINT: 'http://127.0.0.1:8' },
      { baseUrl: 'http://127.0.0.1:8' },
    ],
    ['model: {provider: ollama, name: llama3}', {}, { header: 'authorization', baseUrl: 'http://localhost:11434/v1' }],
    [
      'model: {provider: ollama, name: llama3, endpoint: "http://127.0.0.1:9/other"}',
      {},
      { baseUrl: 'http://127.0.0.1:9/other' },
    ],
    [
      'model: {provider: anthropic, name: high}\nbackend: loop',
      { ANTHROPIC_API_KEY: key },
      { header: 'x-api-key', baseUrl: 'https://api.anthropic.com' },
    ],
  ])('is resolved for %s with %j', async (lines, env, expected) => {
    const { agent, credentials } = await otherAgent(lines, env)
    expect(agent.backend).toBe('loop')
    const access = providerAccess(agent, credentials)
    expect(access).toMatchObject({ type: 'key', ...expected })
    expect(access.type === 'key' && access.key.reveal()).toBe(agent.model.provider === 'ollama' ? 'ollama' : key)
  })

  it('uses no variable of the environment for Ollama', async () => {
    const { agent, credentials } = await otherAgent('model: {provider: ollama, name: llama3}', {})
    const access = providerAccess(agent, { ...credentials, env: { '': 'a variable without a name' } })
    expect(access.type === 'key' && access.key.reveal()).toBe('ollama')
  })

  it('uses the key of the file', async () => {
    const { agent, credentials } = await otherAgent('model: {provider: openai, name: gpt-5, api_key: "${MINE}"}', {
      MINE: key,
    })
    const access = providerAccess(agent, credentials)
    expect(access.type === 'key' && access.value.reveal()).toBe(`Bearer ${key}`)
  })

  it('supports embeddings from another provider with a separate key', async () => {
    const lines = `model: {provider: anthropic, name: high}
embedding_provider: {provider: azure_openai, name: vectors, endpoint: "https://x.openai.azure.com", api_key: "\${VECTORS}"}
tools: [{type: vectorstore, name: docs, description: d, source: .}]`
    const { agent, credentials } = await otherAgent(lines, { ANTHROPIC_API_KEY: 'another-made-up-key', VECTORS: key })
    const { apiKey, ...access } = embeddingAccess(agent, credentials)
    expect(apiKey.reveal()).toBe(key)
    expect(access).toEqual({ wire: 'azure_openai', baseUrl: 'https://x.openai.azure.com', apiVersion: '2024-10-21' })
    expect(declaredSecrets(credentials)).toContain(key)
  })

  it('uses the model provider for embeddings by default', async () => {
    const lines =
      'model: {provider: openai, name: gpt-5}\ntools: [{type: vectorstore, name: docs, description: d, source: .}]'
    const { agent, credentials } = await otherAgent(lines, { OPENAI_API_KEY: key })
    expect(agent.embedding).toMatchObject({ provider: 'openai', model: 'text-embedding-3-small' })
    expect(embeddingAccess(agent, credentials)).toMatchObject({ wire: 'openai', baseUrl: 'https://api.openai.com/v1' })
  })
})

describe('the base URL', () => {
  it.each([
    ['api_key', null, {}, 'https://api.anthropic.com'],
    ['api_key', 'https://a.example/', {}, 'https://a.example'],
    ['custom', 'https://a.example', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1//' }, 'http://127.0.0.1:1'],
    ['api_key', null, { ANTHROPIC_BASE_URL: ' ' }, 'https://api.anthropic.com'],
    ['openai', 'https://a.example', { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1/' }, 'http://127.0.0.1:1/v1'],
    ['openai', null, { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, 'https://api.openai.com/v1'],
  ] as const)('of %s with endpoint %s and %j is %s', (...[signIn, endpoint, env, url]) => {
    expect(baseUrlOf(signIn, endpoint, env)).toBe(url)
  })

  it('must be a valid address when it comes from the environment', async () => {
    const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: 'nowhere' }
    await expect(agentWith('', env)).rejects.toThrow('ANTHROPIC_BASE_URL must be an http or https address')
  })

  it('comes from the environment before the file, with a warning', async () => {
    const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: 'http://127.0.0.1:7' }
    const text = minimalAgent.replace('name: high', 'name: high\n  endpoint: https://a.example')
    const project = await tempProject({ 'agent.yaml': text }, env)
    expect((await project.load()).problems).toEqual([
      expect.objectContaining({ severity: 'warning', code: 'config.no-effect', path: 'model.endpoint' }),
    ])
  })
})

describe('secrets', () => {
  it('show a placeholder in every printed form', () => {
    const secret = createSecret({ token: key })
    const printed = [JSON.stringify({ secret }), String(secret), `${secret}`, inspect(secret), inspect({ a: [secret] })]
    expect(printed.join(' ')).not.toContain(key)
    expect(JSON.stringify(secret)).toBe('"[secret]"')
    expect(secret.reveal()).toEqual({ token: key })
  })

  it('are listed for redaction, except short values and plain settings', () => {
    const env = {
      ANTHROPIC_API_KEY: key,
      AWS_SECRET_ACCESS_KEY: 'made-up-aws-secret',
      AWS_REGION: 'eu-central-1',
      CLAUDE_CODE_OAUTH_TOKEN: 'short',
      PATH: '/usr/bin:/bin',
    }
    const found = declaredSecrets({ env, apiKey: createSecret('from-the-file') })
    expect(found.toSorted()).toEqual(['from-the-file', 'made-up-aws-secret', key].toSorted())
  })
})
