// The variables each sign-in method needs, whether they are set, and how a session uses them. Values stay in secrets
// and in their environment; problems, definitions and serialised forms never contain one.
import { type AgentDefinition, QuarterdeckError } from '@quarterdeck/protocol'
import { keySignIns, keyVariables, type SignIn, signInOf } from '../../ports/sign-in.ts'
import type { Environment } from '../yaml/environment.ts'
import { namesSecret } from '../yaml/names-secret.ts'
import { baseUrlOf } from './base-url.ts'
import { createSecret, type Secret } from './secret.ts'

export type ProviderAccess =
  /** No request leaves the machine. */
  | { readonly type: 'simulator' }
  /** For the gateway, which adds the header to every request, and for the in-process loop. */
  | {
      readonly type: 'key'
      readonly header: 'x-api-key' | 'authorization' | 'api-key'
      /** The whole header value. */
      readonly value: Secret<string>
      /** The bare key, for official clients that build the header themselves. */
      readonly key: Secret<string>
      readonly baseUrl: string
    }
  /** For the agent's own process, whose shell can then read them. */
  | { readonly type: 'environment'; readonly variables: Secret<Readonly<Record<string, string>>> }

/** The access to an embedding provider. */
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

/** Optional variables passed to the process of each sign-in method. */
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
  /** Shell variables merged over the `.env` files of this agent. */
  readonly env: Environment
  /** The value of `model.api_key`, if it is written and all its variables are set. */
  readonly apiKey: Secret<string> | null
  /** The value of `embedding_provider.api_key`, under the same conditions. */
  readonly embeddingKey?: Secret<string> | null
  /** Other values the file passes to tools and hooks under a name that indicates a secret. */
  readonly declared?: Secret<readonly string[]>
}

/** The variables that are not set, alternatives joined by "or"; empty if the provider is usable. */
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

/** The variables a sign-in method needs, alternatives joined by "or". */
export const neededVariables = (signIn: SignIn): readonly string[] => needed[signIn].map(describeRequirement)

const describeRequirement = ({ anyOf, isSwitch }: Requirement): string =>
  anyOf.join(' or ') + (isSwitch === true ? '=1' : '')

/** `agent.gateway` decides who holds the key; the in-process loop always does. Throws `config.missing-credential`. */
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

/** Not called for the local embedder or the simulator. Throws `config.missing-credential`. */
export function embeddingAccess(agent: AgentDefinition, source: CredentialSource): EmbeddingKey {
  const { embedding } = agent
  if (embedding === null || embedding.provider === 'local') {
    throw new QuarterdeckError('config.invalid', `agent "${agent.name}" has no embedding provider`)
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
  const how = signIn === 'oauth_token' ? ' (create one with `claude setup-token`)' : ''
  const [verb, it] = missing.length === 1 ? ['is', 'it'] : ['are', 'them']
  return `${missing.join(', ')} ${verb} not set${how}. Set ${it}, or try the agent offline with --model-source simulator`
}

/** All values that must never be stored or printed, except short ones, which would redact ordinary words. */
export function declaredSecrets({ env, apiKey, embeddingKey, declared }: CredentialSource): readonly string[] {
  const names = Object.values(needed).flatMap((requirements) => requirements.flatMap(({ anyOf }) => anyOf))
  const known = [...names, ...Object.values(passedOn).flat()].filter(namesSecret)
  const given = [apiKey?.reveal(), embeddingKey?.reveal(), ...(declared?.reveal() ?? [])]
  const values = [...known.map((name) => env[name]?.trim()), ...given]
  return [...new Set(values.filter((value): value is string => value !== undefined && value.length >= 8))]
}

/** Ollama needs no key, but its clients require one. */
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
