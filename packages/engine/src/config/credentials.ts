// What each way of signing in needs, whether it is there, and how a session gets to use it. Values live in secrets and in
// the environment they came from; no problem, definition or serialised form ever holds one.
import { type AgentDefinition, type AuthProvider, QuarterdeckError } from '@quarterdeck/protocol'
import type { Environment } from './environment.ts'
import { createSecret, type Secret } from './secret.ts'

export type ProviderAccess =
  /** Nothing is sent anywhere. */
  | { readonly type: 'simulator' }
  /** For the gateway, which adds the header to every request. `value` is the whole header value. */
  | {
      readonly type: 'key'
      readonly header: 'x-api-key' | 'authorization'
      readonly value: Secret<string>
      readonly baseUrl: string
    }
  /** For the agent's own process, whose shell can then read them. */
  | { readonly type: 'environment'; readonly variables: Secret<Readonly<Record<string, string>>> }

export const defaultBaseUrl = 'https://api.anthropic.com'

/** Ways of signing in that a pass-through proxy can do for the agent. */
export const gatewayProviders: readonly AuthProvider[] = ['api_key', 'custom']

interface Requirement {
  readonly anyOf: readonly string[]
  readonly isSwitch?: true
}

const needed: Readonly<Record<AuthProvider, readonly Requirement[]>> = {
  api_key: [{ anyOf: ['ANTHROPIC_API_KEY'] }],
  custom: [{ anyOf: ['ANTHROPIC_AUTH_TOKEN'] }],
  oauth_token: [{ anyOf: ['CLAUDE_CODE_OAUTH_TOKEN'] }],
  bedrock: [{ anyOf: ['CLAUDE_CODE_USE_BEDROCK'], isSwitch: true }, { anyOf: ['AWS_REGION', 'AWS_DEFAULT_REGION'] }],
  vertex: [
    { anyOf: ['CLAUDE_CODE_USE_VERTEX'], isSwitch: true },
    { anyOf: ['CLOUD_ML_REGION'] },
    {
      anyOf: [
        'ANTHROPIC_VERTEX_PROJECT_ID',
        'GCLOUD_PROJECT',
        'GOOGLE_CLOUD_PROJECT',
        'GOOGLE_APPLICATION_CREDENTIALS',
      ],
    },
  ],
  foundry: [
    { anyOf: ['CLAUDE_CODE_USE_FOUNDRY'], isSwitch: true },
    { anyOf: ['ANTHROPIC_FOUNDRY_RESOURCE', 'ANTHROPIC_FOUNDRY_BASE_URL'] },
  ],
}

/** What each way hands on beside what it needs, where it is set. */
const handedOn: Readonly<Record<AuthProvider, readonly string[]>> = {
  api_key: [],
  custom: [],
  oauth_token: ['ANTHROPIC_BASE_URL'],
  bedrock: [
    'ANTHROPIC_BEDROCK_BASE_URL',
    'CLAUDE_CODE_SKIP_BEDROCK_AUTH',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_PROFILE',
    'AWS_CONFIG_FILE',
    'AWS_SHARED_CREDENTIALS_FILE',
    'AWS_ROLE_ARN',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
    'AWS_CONTAINER_CREDENTIALS_FULL_URI',
    'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  ],
  vertex: ['ANTHROPIC_VERTEX_BASE_URL', 'CLAUDE_CODE_SKIP_VERTEX_AUTH'],
  foundry: [
    'ANTHROPIC_FOUNDRY_API_KEY',
    'CLAUDE_CODE_SKIP_FOUNDRY_AUTH',
    'AZURE_TENANT_ID',
    'AZURE_CLIENT_ID',
    'AZURE_CLIENT_SECRET',
  ],
}

const secretName = /(?:API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PRIVATE_KEY|ACCESS_KEY|BEARER_TOKEN_BEDROCK)$/i

export const namesSecret = (variable: string): boolean => secretName.test(variable)

export interface CredentialSource {
  /** The shell over the `.env` files of this agent. */
  readonly env: Environment
  /** What `model.api_key` came to, if it was written and all its variables are set. */
  readonly apiKey: Secret<string> | null
}

/** The variables still to be set, alternatives joined by "or"; empty when the provider can be reached. */
export function missingCredentials(authProvider: AuthProvider, { env, apiKey }: CredentialSource): readonly string[] {
  if (apiKey !== null && gatewayProviders.includes(authProvider)) return []
  return needed[authProvider].filter((one) => !one.anyOf.some((name) => isSet(name, one))).map(inWords)

  function isSet(name: string, { isSwitch }: Requirement): boolean {
    const value = env[name]?.trim() ?? ''
    return isSwitch === true ? value === '1' || value.toLowerCase() === 'true' : value !== ''
  }
}

/** Each variable a way of signing in needs, alternatives joined by "or". */
export const neededVariables = (authProvider: AuthProvider): readonly string[] => needed[authProvider].map(inWords)

const inWords = ({ anyOf, isSwitch }: Requirement): string => anyOf.join(' or ') + (isSwitch === true ? '=1' : '')

/** Throws `config.missing-credential`. `agent.gateway` decides who holds the key. */
export function providerAccess(agent: AgentDefinition, source: CredentialSource): ProviderAccess {
  if (agent.modelSource === 'simulator') return { type: 'simulator' }
  const { authProvider } = agent.model
  const missing = missingCredentials(authProvider, source)
  if (missing.length > 0) {
    const detail = `agent "${agent.name}": ${missingSentence(authProvider, missing)}`
    throw new QuarterdeckError('config.missing-credential', detail, { facts: { variables: missing } })
  }
  if (!agent.gateway || !gatewayProviders.includes(authProvider)) {
    return { type: 'environment', variables: createSecret(variablesFor(agent, source)) }
  }
  const key = keyOf(authProvider, source)
  const baseUrl = baseUrlOf(agent.model.endpoint, source.env)
  return authProvider === 'custom'
    ? { type: 'key', header: 'authorization', value: createSecret(`Bearer ${key}`), baseUrl }
    : { type: 'key', header: 'x-api-key', value: createSecret(key), baseUrl }
}

export function missingSentence(authProvider: AuthProvider, missing: readonly string[]): string {
  const how = authProvider === 'oauth_token' ? ' (`claude setup-token` makes one)' : ''
  const [verb, it] = missing.length === 1 ? ['is', 'it'] : ['are', 'them']
  return `${missing.join(', ')} ${verb} not set${how}. Set ${it}, or try the agent offline with --model-source simulator`
}

/** The environment's address wins over the file's, as every environment setting does. */
export function baseUrlOf(endpoint: string | null, env: Environment): string {
  const url = env.ANTHROPIC_BASE_URL?.trim() || endpoint || defaultBaseUrl
  return url.replace(/\/+$/, '')
}

/** Every value that must never be written anywhere; too short ones are left out, they would redact ordinary words. */
export function declaredSecrets({ env, apiKey }: CredentialSource): readonly string[] {
  const names = Object.values(needed).flatMap((requirements) => requirements.flatMap(({ anyOf }) => anyOf))
  const known = [...names, ...Object.values(handedOn).flat()].filter(namesSecret)
  const values = [...known.map((name) => env[name]?.trim()), apiKey?.reveal()]
  return [...new Set(values.filter((value): value is string => value !== undefined && value.length >= 8))]
}

function keyOf(authProvider: AuthProvider, { env, apiKey }: CredentialSource): string {
  const variable = authProvider === 'custom' ? env.ANTHROPIC_AUTH_TOKEN : env.ANTHROPIC_API_KEY
  return apiKey?.reveal() ?? variable?.trim() ?? ''
}

function variablesFor(agent: AgentDefinition, source: CredentialSource): Readonly<Record<string, string>> {
  const { authProvider, endpoint } = agent.model
  if (gatewayProviders.includes(authProvider)) {
    const name = authProvider === 'custom' ? 'ANTHROPIC_AUTH_TOKEN' : 'ANTHROPIC_API_KEY'
    return { [name]: keyOf(authProvider, source), ANTHROPIC_BASE_URL: baseUrlOf(endpoint, source.env) }
  }
  const names = [...needed[authProvider].flatMap(({ anyOf }) => anyOf), ...handedOn[authProvider]]
  return Object.fromEntries(names.flatMap((name) => (source.env[name] ? [[name, source.env[name]]] : [])))
}
