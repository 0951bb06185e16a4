// Resolves `model:`, `model_source` and `gateway`.
import type { AgentDefinition, BackendName } from '@quarterdeck/protocol'
import { keySignIns, type SignIn, signInOf } from '../../ports/sign-in.ts'
import type { AgentContext } from '../agent-context.ts'
import { checkEndpoint } from '../check/check-endpoint.ts'
import { resolveModelName } from '../check/check-model-name.ts'
import { baseUrlVariable } from '../credentials/base-url.ts'
import { type CredentialSource, missingCredentials, missingSentence } from '../credentials/credentials.ts'
import { createSecret, type Secret } from '../credentials/secret.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import { type GatewaySetting, ModelSourceSetting } from '../schema/agent-file.ts'
import { defaultApiVersion } from '../schema/model-block.ts'
import { namesSecret } from '../yaml/names-secret.ts'
import { exposedSecret, mayHoldSecret } from '../yaml/secret-paths.ts'

interface ResolvedModel {
  readonly model: AgentDefinition['model']
  readonly modelSource: AgentDefinition['modelSource']
  readonly gateway: boolean
  readonly requested: ModelSourceSetting
  /** The message to show when `auto` chose the simulator. */
  readonly announcement: string | null
  readonly credentials: CredentialSource
}

/** `embedding`: the variables of the embedding provider, and how to report missing ones. */
export function resolveModel(context: AgentContext, backend: BackendName, embedding: EmbeddingNeeds): ResolvedModel {
  const { file, env } = context
  const { provider } = file.model
  const authProvider = file.model.auth_provider ?? 'api_key'
  const signIn = signInOf(provider, authProvider)
  const credentials = {
    env,
    apiKey: apiKeyAt(context, file.model.api_key, ['model', 'api_key']),
    embeddingKey: embedding.key,
  }
  const requested = requestedModelSource(context)
  const missing = missingFor(signIn, context, credentials)
  const noAddress = missingEndpoint(signIn, file.model.endpoint, context)
  const needed = [...new Set([...missing, ...noAddress, ...embedding.missing])]
  const { modelSource, announcement } = settleModelSource(requested, needed)
  if (modelSource === 'provider' && missing.length > 0) reportMissing(signIn, missing, context)
  if (modelSource === 'provider' && noAddress.length > 0) reportNoAddress(context, 'model')
  if (modelSource === 'provider') embedding.report()
  checkSettings(context, signIn, backend)
  checkExposedSecrets(context)
  const isLoop = backend === 'loop'
  const model = {
    ...resolveModelName(context),
    provider,
    authProvider,
    endpoint: checkEndpoint(context, signIn, modelSource),
    apiVersion: provider === 'azure_openai' ? (file.model.api_version ?? defaultApiVersion) : null,
    maxTokens: file.model.max_tokens ?? null,
    temperature: isLoop ? (file.model.temperature ?? null) : null,
    topP: isLoop ? (file.model.top_p ?? null) : null,
  }
  const gateway = isLoop ? gatewayOnLoop(context) : gatewayFor(context, signIn, modelSource)
  return { model, modelSource, gateway, requested, announcement, credentials }
}

/** Credentials of the embedding provider. */
export interface EmbeddingNeeds {
  readonly key: Secret<string> | null
  readonly missing: readonly string[]
  /** Reports missing variables; called only when a real provider is used. */
  report(): void
}

/** The written key, or null if one of its variables is not set. */
export function apiKeyAt(
  { source }: AgentContext,
  written: string | null | undefined,
  path: Path,
): Secret<string> | null {
  const key = written?.trim() ?? ''
  const isComplete = source.substitutions.get(formatPath(path))?.complete ?? true
  return key === '' || !isComplete ? null : createSecret(key)
}

/** The first of: flag, environment, agent file, config files, provider. */
function requestedModelSource({ file, env, config, options, source }: AgentContext): ModelSourceSetting {
  const variable = ModelSourceSetting.optional().safeParse(env.QUARTERDECK_MODEL_SOURCE)
  if (!variable.success) {
    source.refuse([], `QUARTERDECK_MODEL_SOURCE must be one of ${ModelSourceSetting.options.join(', ')}`)
  }
  if (file.model.provider === 'simulator') return 'simulator'
  return options.modelSource ?? variable.data ?? file.model_source ?? config.model_source ?? 'provider'
}

type SettledModelSource = Pick<ResolvedModel, 'modelSource' | 'announcement'>

function settleModelSource(requested: ModelSourceSetting, missing: readonly string[]): SettledModelSource {
  if (requested !== 'auto') return { modelSource: requested, announcement: null }
  if (missing.length === 0) return { modelSource: 'provider', announcement: null }
  const announcement = `no key: local simulator, nothing is sent anywhere (set ${missing.join(', ')} to use the provider)`
  return { modelSource: 'simulator', announcement }
}

function missingFor(signIn: SignIn, context: AgentContext, credentials: CredentialSource): readonly string[] {
  if (context.file.model.provider === 'simulator') return []
  return missingKey(signIn, context, { ...credentials, path: ['model', 'api_key'] })
}

/** A key that references its own variable is reported under that name, not the provider's usual one. */
export function missingKey(
  signIn: SignIn,
  { source }: AgentContext,
  { path, ...credentials }: Pick<CredentialSource, 'env' | 'apiKey'> & { readonly path: Path },
): readonly string[] {
  const written = source.substitutions.get(formatPath(path))
  if (written && credentials.apiKey === null && keySignIns.includes(signIn)) {
    const names = written.missing.length > 0 ? written.missing : written.variables
    if (names.length > 0) return [...new Set(names)]
  }
  return missingCredentials(signIn, credentials)
}

/** Azure has no default address. */
export function missingEndpoint(
  signIn: SignIn,
  endpoint: string | null | undefined,
  { env }: AgentContext,
): readonly string[] {
  const variable = baseUrlVariable(signIn)
  return signIn === 'azure_openai' && !endpoint && variable !== null && !env[variable]?.trim() ? [variable] : []
}

export function reportNoAddress({ source, options }: AgentContext, block: 'model' | 'embedding_provider'): void {
  const severity = options.credentials === 'note' ? 'warning' : 'error'
  const message = `"${block}.endpoint" is missing: azure_openai has no default address (or set AZURE_OPENAI_ENDPOINT)`
  source.report({ severity, code: 'config.missing-key', path: [block, 'endpoint'], message })
}

function reportMissing(signIn: SignIn, missing: readonly string[], { source, file, options }: AgentContext): void {
  const isKey = Boolean(file.model.api_key) && keySignIns.includes(signIn)
  const path = ['model', isKey ? 'api_key' : file.model.auth_provider ? 'auth_provider' : 'provider']
  const severity = options.credentials === 'note' ? 'warning' : 'error'
  const message = missingSentence(signIn, missing)
  source.report({ severity, code: 'config.missing-credential', path, message })
}

function checkSettings({ file, source }: AgentContext, signIn: SignIn, backend: BackendName): void {
  const { model } = file
  const isWritten = (key: keyof typeof model) => model[key] !== undefined && model[key] !== null && model[key] !== ''
  if (backend === 'claude') {
    for (const key of ['temperature', 'top_p'] as const) {
      if (isWritten(key)) source.warnNoEffect(['model', key], 'the Claude backend has no such setting')
    }
  }
  if (model.provider === 'simulator') {
    for (const key of ['auth_provider', 'api_key', 'endpoint'] as const) {
      if (isWritten(key)) source.warnNoEffectIn(['model', key], 'with provider: simulator')
    }
  } else if (!model.name) {
    const form = model.provider === 'anthropic' ? 'a tier (pro, high, low), auto or a full model id' : 'a model id'
    source.refuseMissing(['model', 'name'], `set it to ${form}`)
  }
  if (model.provider !== 'azure_openai' && isWritten('api_version')) {
    source.warnNoEffect(['model', 'api_version'], 'only azure_openai uses it')
  }
  if (model.provider !== 'anthropic' && model.provider !== 'simulator' && isWritten('auth_provider')) {
    const reason = `it applies to Anthropic only, and the provider is ${model.provider}`
    source.warnNoEffect(['model', 'auth_provider'], reason)
  }
  if (model.api_key && !keySignIns.includes(signIn)) {
    const message = `"model.api_key" does not work with auth_provider: ${signIn}`
    source.report({ severity: 'error', code: 'config.unsupported', path: ['model', 'api_key'], message })
  }
}

function gatewayOnLoop({ file, source }: AgentContext): boolean {
  if (file.gateway != null) {
    source.warnNoEffectIn(['gateway'], 'with backend: loop: the key never leaves this process')
  }
  return true
}

function gatewayFor(
  { file, config, source }: AgentContext,
  signIn: SignIn,
  modelSource: AgentDefinition['modelSource'],
): boolean {
  // The simulator uses the gateway path, and there is no key to protect.
  if (modelSource === 'simulator') return true
  const isPossible = keySignIns.includes(signIn)
  if (!isPossible && isOn(file.gateway) === true) {
    const message = `not supported yet: gateway: on with auth_provider: ${signIn}`
    source.report({ severity: 'error', code: 'config.unsupported', path: ['gateway'], message })
  }
  const isUsed = isPossible && (isOn(file.gateway) ?? config.gateway?.enabled ?? true)
  if (!isUsed) {
    const path = file.gateway != null ? ['gateway'] : ['model', 'auth_provider']
    const message =
      "without the gateway the agent's process holds the provider's credentials and its shell can read them" +
      ' (removing them from subprocesses needs bubblewrap and is disabled)'
    source.report({ severity: 'warning', code: 'config.exposed-secret', path, message })
  }
  return isUsed
}

const isOn = (setting: GatewaySetting | null | undefined): boolean | undefined =>
  setting === undefined || setting === null ? undefined : setting === true || setting === 'on'

/** Reports a secret from the environment in a field that others can read, and a secret written into the file. */
function checkExposedSecrets({ file, source }: AgentContext): void {
  for (const { path, variables } of source.substitutions.values()) {
    const secret = variables.find(namesSecret)
    if (secret === undefined || mayHoldSecret(path)) continue
    source.report({ severity: 'error', code: 'config.exposed-secret', path, message: exposedSecret(secret) })
  }
  const keys: readonly Path[] = [
    ...(file.model.api_key ? [['model', 'api_key']] : []),
    ...(file.embedding_provider?.api_key ? [['embedding_provider', 'api_key']] : []),
  ]
  for (const path of keys) {
    if (source.substitutions.has(formatPath(path))) continue
    source.warnWrittenSecret(path)
  }
}
