// `model:`, `model_source` and `gateway` become who answers, as what, and through whom.
import {
  type AgentDefinition,
  type AuthProvider,
  autoModel,
  type CatalogModel,
  findModel,
  ModelTier,
  resolveModelId,
} from '@quarterdeck/protocol'
import { type GatewaySetting, ModelSourceSetting } from './agent-file.ts'
import { checkEndpoint } from './check-endpoint.ts'
import {
  type CredentialSource,
  gatewayProviders,
  missingCredentials,
  missingSentence,
  namesSecret,
} from './credentials.ts'
import { asWritten } from './describe-issue.ts'
import { requestedModelSource, settleModelSource } from './model-source.ts'
import { nearestName } from './nearest-name.ts'
import type { AgentContext } from './resolve-agent.ts'
import { createSecret } from './secret.ts'

export interface ResolvedModel {
  readonly model: AgentDefinition['model']
  readonly modelSource: AgentDefinition['modelSource']
  readonly gateway: boolean
  readonly requested: ModelSourceSetting
  readonly announcement: string | null
  readonly credentials: CredentialSource
}

export function resolveModel(context: AgentContext): ResolvedModel {
  const { file, env } = context
  const authProvider = file.model.auth_provider ?? 'api_key'
  const credentials = { env, apiKey: apiKeyOf(context) }
  const requested = sourceRequest(context)
  const missing = missingFor(authProvider, context, credentials)
  const { modelSource, announcement } = settleModelSource(requested, missing)
  if (modelSource === 'provider' && missing.length > 0) reportMissing(authProvider, missing, context)
  checkSettings(context, authProvider)
  const name = file.model.name ?? 'high'
  const id = resolveModelId(name, context.catalog)
  if (name !== autoModel) checkName(name, context)
  const model = {
    provider: file.model.provider,
    apiVersion: null,
    temperature: null,
    topP: null,
    name,
    id,
    authProvider,
    endpoint: checkEndpoint(context, modelSource),
    maxTokens: file.model.max_tokens ?? null,
  }
  const gateway = gatewayFor(context, authProvider, modelSource)
  return { model, modelSource, gateway, requested, announcement, credentials }
}

function apiKeyOf({ file, source }: AgentContext): CredentialSource['apiKey'] {
  const key = file.model.api_key?.trim() ?? ''
  const isComplete = source.substitutions.get('model.api_key')?.complete ?? true
  return key === '' || !isComplete ? null : createSecret(key)
}

function sourceRequest({ file, env, config, options, source }: AgentContext): ModelSourceSetting {
  const wish = env.QUARTERDECK_MODEL_SOURCE
  if (wish !== undefined && !ModelSourceSetting.safeParse(wish).success) {
    const message = `QUARTERDECK_MODEL_SOURCE must be one of ${ModelSourceSetting.options.join(', ')}`
    source.report({ severity: 'error', code: 'config.invalid', path: [], message })
  }
  if (file.model.provider === 'simulator') return 'simulator'
  const { modelSource: flag } = options
  return requestedModelSource({ flag, env, agentFile: file.model_source, config: config.model_source })
}

/** A key that is written with its own variable is missed by that name, not by the provider's usual one. */
function missingFor(
  authProvider: AuthProvider,
  { source, file }: AgentContext,
  credentials: CredentialSource,
): readonly string[] {
  const written = source.substitutions.get('model.api_key')
  if (written && credentials.apiKey === null && gatewayProviders.includes(authProvider)) {
    const names = written.missing.length > 0 ? written.missing : written.variables
    if (names.length > 0) return [...new Set(names)]
  }
  return file.model.provider === 'simulator' ? [] : missingCredentials(authProvider, credentials)
}

function reportMissing(
  authProvider: AuthProvider,
  missing: readonly string[],
  { source, file, options }: AgentContext,
): void {
  const isKey = Boolean(file.model.api_key) && gatewayProviders.includes(authProvider)
  const path = ['model', isKey ? 'api_key' : file.model.auth_provider ? 'auth_provider' : 'provider']
  const severity = options.credentials === 'note' ? 'warning' : 'error'
  const message = missingSentence(authProvider, missing)
  source.report({ severity, code: 'config.missing-credential', path, message })
}

function checkSettings({ file, source }: AgentContext, authProvider: AuthProvider): void {
  const { model } = file
  for (const key of ['temperature', 'top_p'] as const) {
    if (model[key] === undefined || model[key] === null) continue
    const message = `"model.${key}" has no effect: there is no such setting on the Claude backend`
    source.report({ severity: 'warning', code: 'config.no-effect', path: ['model', key], message })
  }
  if (model.provider === 'simulator') {
    for (const key of ['auth_provider', 'api_key', 'endpoint'] as const) {
      if (!model[key]) continue
      const message = `"model.${key}" has no effect with provider: simulator`
      source.report({ severity: 'warning', code: 'config.no-effect', path: ['model', key], message })
    }
  } else if (!model.name) {
    const message = '"model.name" is missing: write a tier (pro, high, low), auto or a full model id'
    source.report({ severity: 'error', code: 'config.missing-key', path: ['model', 'name'], message })
  }
  if (model.api_key && !source.substitutions.has('model.api_key')) {
    const message = '"model.api_key" is written in the file: put it into the environment and name the variable'
    source.report({ severity: 'warning', code: 'config.exposed-secret', path: ['model', 'api_key'], message })
  }
  if (model.api_key && !gatewayProviders.includes(authProvider)) {
    const message = `"model.api_key" does not work with auth_provider: ${authProvider}`
    source.report({ severity: 'error', code: 'config.unsupported', path: ['model', 'api_key'], message })
  }
  for (const { path, variables } of source.substitutions.values()) {
    const secret = variables.find(namesSecret)
    if (secret === undefined || path.join('.') === 'model.api_key') continue
    const message = `${secret} would become readable here: a secret may only stand in model.api_key`
    source.report({ severity: 'error', code: 'config.exposed-secret', path, message })
  }
}

/** A dollar limit somebody wrote needs a price; under the default limit alone an unpriced model runs and says so. */
function checkName(name: string, { catalog, file, source }: AgentContext): void {
  const entry = findModel(name, catalog)
  if (entry?.runsAs !== undefined) {
    const message = `"${entry.id}" runs as ${entry.runsAs}: the provider serves that for it`
    source.report({ severity: 'warning', code: 'config.hint', path: ['model', 'name'], part: 'value', message })
  }
  if (entry?.price) return
  const limit = ['limits', 'claude'] as const
  const explicit = limit.find((block) => file[block]?.max_budget_usd != null)
  const suggestion = entry === undefined ? nearestName(name, knownNames(catalog)) : undefined
  const shown = asWritten(source, ['model', 'name'], name)
  const subject = `the price of model "${shown}" is unknown`
  if (explicit === undefined) {
    const message = `${subject}: no dollar limit, only turns and time`
    const path = ['model', 'name']
    source.report({ severity: 'warning', code: 'config.price-unknown', path, part: 'value', message, suggestion })
    return
  }
  const message = `${subject}, so no dollar limit can hold: give models."${shown}".price in config.yaml, or leave the limit out`
  const path = [explicit, 'max_budget_usd']
  source.report({ severity: 'error', code: 'config.price-unknown', path, message, suggestion })
}

export const knownNames = (catalog: readonly CatalogModel[]): readonly string[] => [
  ...ModelTier.options,
  autoModel,
  ...catalog.flatMap(({ id, aliases }) => [id, ...aliases]),
]

function gatewayFor(
  { file, config, source }: AgentContext,
  authProvider: AuthProvider,
  modelSource: AgentDefinition['modelSource'],
): boolean {
  // The simulator is reached the way the gateway is, and there is no key to protect.
  if (modelSource === 'simulator') return true
  const isPossible = gatewayProviders.includes(authProvider)
  if (!isPossible && isOn(file.gateway) === true) {
    const message = `not supported yet: gateway: on with auth_provider: ${authProvider}`
    source.report({ severity: 'error', code: 'config.unsupported', path: ['gateway'], message })
  }
  const isUsed = isPossible && (isOn(file.gateway) ?? config.gateway?.enabled ?? true)
  if (!isUsed) {
    const path = file.gateway != null ? ['gateway'] : ['model', 'auth_provider']
    const message =
      "without the gateway the agent's process holds the provider's credentials and its shell can read them" +
      ' (scrubbing them from subprocesses needs bubblewrap and is left off)'
    source.report({ severity: 'warning', code: 'config.exposed-secret', path, message })
  }
  return isUsed
}

const isOn = (setting: GatewaySetting | null | undefined): boolean | undefined =>
  setting === undefined || setting === null ? undefined : setting === true || setting === 'on'
