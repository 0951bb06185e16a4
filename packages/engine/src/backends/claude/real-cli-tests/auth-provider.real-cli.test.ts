// `model.auth_provider` on the real CLI: a missing setting is named, and the provider receives the credentials that are
// set. Every provider is a loopback server that refuses requests.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthProvider } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { providerAccess } from '../../../config/credentials/credentials.ts'
import { madeUpKey, tempProject } from '../../../config/testing/temp-project.ts'
import { openClaudeHarness } from '../testing/claude-harness.fixture.ts'

interface AuthCase {
  /** The settings of the provider; the server's address is inserted. */
  readonly env: (url: string) => Readonly<Record<string, string>>
  /** The error when a setting is missing. */
  readonly missing: readonly string[]
  /** The credentials that the server receives. */
  readonly path: RegExp
  readonly header: readonly [string, string]
}

const authCases: Readonly<Record<AuthProvider, AuthCase>> = {
  api_key: {
    env: (url) => ({ ANTHROPIC_API_KEY: madeUpKey, ANTHROPIC_BASE_URL: url }),
    missing: ['ANTHROPIC_API_KEY'],
    path: /^\/v1\/messages/,
    header: ['x-api-key', madeUpKey],
  },
  custom: {
    env: (url) => ({ ANTHROPIC_AUTH_TOKEN: madeUpKey, ANTHROPIC_BASE_URL: url }),
    missing: ['ANTHROPIC_AUTH_TOKEN'],
    path: /^\/v1\/messages/,
    header: ['authorization', `Bearer ${madeUpKey}`],
  },
  oauth_token: {
    env: (url) => ({ CLAUDE_CODE_OAUTH_TOKEN: madeUpKey, ANTHROPIC_BASE_URL: url }),
    missing: ['CLAUDE_CODE_OAUTH_TOKEN'],
    path: /^\/v1\/messages/,
    header: ['authorization', `Bearer ${madeUpKey}`],
  },
  bedrock: {
    env: (url) => ({
      CLAUDE_CODE_USE_BEDROCK: '1',
      AWS_REGION: 'eu-central-1',
      AWS_BEARER_TOKEN_BEDROCK: madeUpKey,
      ANTHROPIC_BEDROCK_BASE_URL: url,
    }),
    missing: ['CLAUDE_CODE_USE_BEDROCK=1', 'AWS_REGION or AWS_DEFAULT_REGION'],
    path: /^\/model\/[^/]+\/invoke/,
    header: ['authorization', `Bearer ${madeUpKey}`],
  },
  vertex: {
    env: (url) => ({
      CLAUDE_CODE_USE_VERTEX: '1',
      CLOUD_ML_REGION: 'europe-west1',
      CLAUDE_CODE_SKIP_VERTEX_AUTH: '1',
      ANTHROPIC_VERTEX_PROJECT_ID: 'a-project',
      ANTHROPIC_VERTEX_BASE_URL: url,
    }),
    missing: ['CLAUDE_CODE_USE_VERTEX=1', 'CLOUD_ML_REGION', 'ANTHROPIC_VERTEX_PROJECT_ID'],
    path: /\/projects\/a-project\/locations\/europe-west1\//,
    header: ['anthropic-version', '2023-06-01'],
  },
  foundry: {
    env: (url) => ({
      CLAUDE_CODE_USE_FOUNDRY: '1',
      ANTHROPIC_FOUNDRY_API_KEY: madeUpKey,
      ANTHROPIC_FOUNDRY_BASE_URL: url,
    }),
    missing: ['CLAUDE_CODE_USE_FOUNDRY=1', 'ANTHROPIC_FOUNDRY_RESOURCE or ANTHROPIC_FOUNDRY_BASE_URL'],
    path: /messages/,
    header: ['x-api-key', madeUpKey],
  },
}

interface ReceivedFromCli {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
}

async function openProvider() {
  const received: ReceivedFromCli[] = []
  const server = createServer((incoming, outgoing) => {
    received.push({ path: incoming.url ?? '', headers: incoming.headers })
    outgoing.writeHead(400, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // a listening server has a port
  return { url: `http://127.0.0.1:${port}`, received }
}

const yaml = (authProvider: string) => `name: tester
model: { provider: anthropic, name: claude-sonnet-4-5-20250929, auth_provider: ${authProvider} }
instructions: { inline: Be brief. }
gateway: off
`

const entries = Object.entries(authCases).map(([name, authCase]) => [name, authCase] as const)

describe('model.auth_provider', () => {
  it.each(entries)('model.auth_provider: %s names the missing setting', async (name, { missing }) => {
    const project = await tempProject({ 'agent.yaml': yaml(name) }, {})
    const { agent, problems } = await project.load()
    expect(agent).toBeNull()
    const reported = problems
      .filter(({ severity }) => severity === 'error')
      .map(({ message }) => message)
      .join('\n')
    for (const variable of missing) expect(reported).toContain(variable)
  })

  it.each(entries)(
    'model.auth_provider: %s sends exactly the configured credentials to its provider',
    async (name, authCase) => {
      const provider = await openProvider()
      const surroundings = { SOME_OTHER_SECRET: 'canary-of-the-surroundings', PATH: '/usr/bin' }
      const project = await tempProject(
        { 'agent.yaml': yaml(name) },
        { ...surroundings, ...authCase.env(provider.url) },
      )
      const { agent, credentials, problems } = await project.load()
      if (agent === null) throw new Error(JSON.stringify(problems))
      const access = providerAccess(agent, credentials)
      if (access.type !== 'environment') throw new Error(`with the gateway off it is ${access.type}`)
      const variables = access.variables.reveal()
      expect(variables).toEqual(authCase.env(provider.url))
      const harness = await openClaudeHarness({ steps: [{ then: {} }], agent, tools: [], maxRetries: 0 })
      onTestFinished(harness.close)
      const modelAccess = { type: 'environment', variables } as const
      const result = await harness.backend.invokeOnce('hi', harness.options({ modelAccess, modelSource: 'provider' }))
      expect(result.isError).toBe(true)
      const [header, value] = authCase.header
      const asked = provider.received.filter(({ path }) => authCase.path.test(path))
      expect(provider.received.map(({ path }) => path)).toEqual(
        expect.arrayContaining([expect.stringMatching(authCase.path)]),
      )
      expect(asked.map(({ headers }) => headers[header])).toContain(value)
      expect(JSON.stringify(provider.received)).not.toContain('canary-of-the-surroundings')
    },
  )
})
