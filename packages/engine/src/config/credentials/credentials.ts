// What each way of signing in needs, whether it is there, and how a session gets to use it. Values live in secrets and in
// the environment they came from; no problem, definition or serialised form ever holds one.
import { type AgentDefinition, QuarterdeckError } from '@quarterdeck/protocol'
import { keyVariables } from '../../ports/key-variables.ts'
import type { Environment } from '../yaml/environment.ts'
import { namesSecret } from '../yaml/names-secret.ts'
import { baseUrlOf } from './base-url.ts'
import { createSecret, type Secret } from './secret.ts'
import { keySignIns, type SignIn, signInOf } from './sign-in.ts'

export type ProviderAccess =
  /** Nothing is sent anywhere. */
  | { readonly type: 'simulator' }
  /** For the gateway, which adds the header to every request, and for the in-process loop. */
  | {
      readonly type: 'key'
      readonly header: 'x-api-key' | 'authorization' | 'api-key'
      /** The whole header value. */
      readonly value: Secret<string>
      /** The bare key, for official clients, which make the header themselves. */
      readonly key: Secret<string>
      readonly baseUrl: string
    }
  /** For the agent's own process, whose shell can then read them. */
  | { readonly type: 'environment'; readonly variables: Secret<Readonly<Record<string, string>>> }

/** Where texts become vectors. */
export interface EmbeddingKey {
  readonly wire: 'openai' | 'azure_openai'
  readonly baseUrl: string
  readonly apiKey: Secret<string>
  readonly apiVersion: string | null
}

interface Requirement {
  readonly anyOf: readonly string[]
  readonly isSwitch?: true
}

const needed: Readonly<Record<SignIn, readonly Requirement[]>> = {
  api_key: [{ anyOf: [keyVariables.api_key] }],
  custom: [{ anyOf: [keyVariables.custom] }],
  oauth_token: [{ anyOf: [keyVariables.oauth_token] }],
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
  openai: [{ anyOf: [keyVariables.openai] }],
  azure_openai: [{ anyOf: [keyVariables.azure_openai] }],
  ollama: [],
}

/** What each way hands on beside what it needs, where it is set. */
const passedOn: Readonly<Record<SignIn, readonly string[]>> = {
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
  openai: [],
  azure_openai: [],
  ollama: [],
}

export interface CredentialSource {
  /** The shell over the `.env` files of this agent. */
  readonly env: Environment
  /** What `model.api_key` came to, if it was written and all its variables are set. */
  readonly apiKey: Secret<string> | null
  /** The same of `embedding_provider.api_key`. */
  readonly embeddingKey?: Secret<string> | null
  /** What else the file hands to its tools and hooks and names like a secret. */
  readonly declared?: Secret<readonly string[]>
}

/** The variables still to be set, alternatives joined by "or"; empty when the provider can be reached. */
export function missingCredentials(
  signIn: SignIn,
  { env, apiKey }: Pick<CredentialSource, 'env' | 'apiKey'>,
): readonly string[] {
  if (apiKey !== null && keySignIns.includes(signIn)) return []
  return needed[signIn].filter((one) => !one.anyOf.some((name) => isSet(name, one))).map(describeRequirement)

  function isSet(name: string, { isSwitch }: Requirement): boolean {
    const value = env[name]?.trim() ?? ''
    return isSwitch === true ? value === '1' || value.toLowerCase() === 'true' : value !== ''
  }
}

/** Each variable a way of signing in needs, alternatives joined by "or". */
export const neededVariables = (signIn: SignIn): readonly string[] => needed[signIn].map(describeRequirement)

const describeRequirement = ({ anyOf, isSwitch }: Requirement): string =>
  anyOf.join(' or ') + (isSwitch === true ? '=1' : '')

/** Throws `config.missing-credential`. `agent.gateway` decides who holds the key; the loop has no process to keep it from. */
export function providerAccess(agent: AgentDefinition, source: CredentialSource): ProviderAccess {
  if (agent.modelSource === 'simulator') return { type: 'simulator' }
  const { provider, authProvider, endpoint } = agent.model
  const signIn = signInOf(provider, authProvider)
  requireCredentials(agent, signIn, source)
  const usesKey = keySignIns.includes(signIn) && (agent.gateway || agent.backend === 'loop')
  if (!usesKey) return { type: 'environment', variables: createSecret(variablesFor(agent, signIn, source)) }
  const key = keyOf(signIn, source)
  const baseUrl = baseUrlOf(signIn, endpoint, source.env)
  const header = headers[signIn] ?? 'authorization'
  const value = header === 'authorization' ? `Bearer ${key}` : key
  return { type: 'key', header, value: createSecret(value), key: createSecret(key), baseUrl }
}

const headers: Partial<Record<SignIn, 'x-api-key' | 'api-key'>> = { api_key: 'x-api-key', azure_openai: 'api-key' }

/** Never asked for the local embedder or the simulator. Throws `config.missing-credential`. */
export function embeddingAccess(agent: AgentDefinition, source: CredentialSource): EmbeddingKey {
  const { embedding } = agent
  if (embedding === null || embedding.provider === 'local') {
    throw new QuarterdeckError('config.invalid', `agent "${agent.name}" has no provider that makes vectors`)
  }
  const { provider, endpoint, apiVersion } = embedding
  const own = { env: source.env, apiKey: source.embeddingKey ?? null }
  requireCredentials(agent, provider, own)
  const wire = provider === 'azure_openai' ? 'azure_openai' : 'openai'
  const baseUrl = baseUrlOf(provider, endpoint, source.env)
  return { wire, baseUrl, apiKey: createSecret(keyOf(provider, own)), apiVersion }
}

function requireCredentials(agent: AgentDefinition, signIn: SignIn, source: CredentialSource): void {
  const missing = missingCredentials(signIn, source)
  if (missing.length === 0) return
  const detail = `agent "${agent.name}": ${missingSentence(signIn, missing)}`
  throw new QuarterdeckError('config.missing-credential', detail, { facts: { variables: missing } })
}

export function missingSentence(signIn: SignIn, missing: readonly string[]): string {
  const how = signIn === 'oauth_token' ? ' (`claude setup-token` makes one)' : ''
  const [verb, it] = missing.length === 1 ? ['is', 'it'] : ['are', 'them']
  return `${missing.join(', ')} ${verb} not set${how}. Set ${it}, or try the agent offline with --model-source simulator`
}

/** Every value that must never be written anywhere; too short ones are left out, they would redact ordinary words. */
export function declaredSecrets({ env, apiKey, embeddingKey, declared }: CredentialSource): readonly string[] {
  const names = Object.values(needed).flatMap((requirements) => requirements.flatMap(({ anyOf }) => anyOf))
  const known = [...names, ...Object.values(passedOn).flat()].filter(namesSecret)
  const given = [apiKey?.reveal(), embeddingKey?.reveal(), ...(declared?.reveal() ?? [])]
  const values = [...known.map((name) => env[name]?.trim()), ...given]
  return [...new Set(values.filter((value): value is string => value !== undefined && value.length >= 8))]
}

/** Ollama asks for none and its clients insist on one. */
function keyOf(signIn: SignIn, { env, apiKey }: CredentialSource): string {
  const variable = keyVariables[signIn]
  const set = variable === undefined ? undefined : env[variable]?.trim()
  return apiKey?.reveal() ?? set ?? (signIn === 'ollama' ? 'ollama' : '')
}

function variablesFor(
  agent: AgentDefinition,
  signIn: SignIn,
  source: CredentialSource,
): Readonly<Record<string, string>> {
  const variable = keyVariables[signIn]
  if (variable !== undefined && keySignIns.includes(signIn)) {
    const baseUrl = baseUrlOf(signIn, agent.model.endpoint, source.env)
    return { [variable]: keyOf(signIn, source), ANTHROPIC_BASE_URL: baseUrl }
  }
  const names = [...needed[signIn].flatMap(({ anyOf }) => anyOf), ...passedOn[signIn]]
  return Object.fromEntries(names.flatMap((name) => (source.env[name] ? [[name, source.env[name]]] : [])))
}
