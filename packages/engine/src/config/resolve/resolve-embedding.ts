// The embedding model for search tools. An agent has one: vectors of different models are not comparable.
import { type EmbeddingSettings, isRetrievalTool, type ToolFiltering } from '@quarterdeck/protocol'
import type { AgentContext } from '../agent-context.ts'
import { isAddress, warnAboutHost } from '../check/check-endpoint.ts'
import { missingSentence } from '../credentials/credentials.ts'
import { defaultApiVersion, type EmbeddingBlock } from '../schema/model-block.ts'
import type { HierarchicalBlock, VectorstoreBlock } from '../schema/tools-block.ts'
import { apiKeyAt, type EmbeddingNeeds, missingEndpoint, missingKey, reportNoAddress } from './resolve-model.ts'

export interface ResolvedEmbedding {
  readonly embedding: EmbeddingSettings | null
  readonly needs: EmbeddingNeeds
}

const noNeeds: EmbeddingNeeds = { key: null, missing: [], report: () => undefined }

const usualModels = { openai: 'text-embedding-3-small', ollama: 'nomic-embed-text', local: 'local', azure_openai: null }

export function resolveEmbedding(context: AgentContext, filtering: ToolFiltering | null): ResolvedEmbedding {
  const { file, source } = context
  const isNeeded = searchingTools(context).length > 0 || (filtering !== null && filtering.method !== 'bm25')
  const block = file.embedding_provider
  if (block?.provider === 'anthropic') {
    const path = ['embedding_provider', 'provider']
    source.refuseValue(path, 'Anthropic provides no embeddings: use openai, azure_openai, ollama or local')
    return { embedding: null, needs: noNeeds }
  }
  if (!isNeeded) {
    if (block != null)
      source.warnNoEffectIn(['embedding_provider'], 'without a vectorstore or hierarchical_document tool')
    return { embedding: null, needs: noNeeds }
  }
  const written = embeddingBlock(context)
  if (written === null) return { embedding: null, needs: noNeeds }
  return resolveWritten(context, written)
}

type Provider = Exclude<EmbeddingBlock['provider'], 'anthropic'>

interface Written {
  readonly block: Omit<EmbeddingBlock, 'provider'> & { readonly provider: Provider }
  /** The map that defines it. */
  readonly path: 'embedding_provider' | 'model'
}

/** Startup rule 1 of seed 000. Other providers provide embeddings as well; the simulator uses the local embedder. */
function embeddingBlock({ file, source }: AgentContext): Written | null {
  const block = file.embedding_provider
  if (block != null && block.provider !== 'anthropic') {
    return { block: { ...block, provider: block.provider }, path: 'embedding_provider' }
  }
  const { provider, endpoint, api_key, api_version } = file.model
  if (provider === 'simulator') return { block: { provider: 'local' }, path: 'model' }
  if (provider !== 'anthropic') return { block: { provider, endpoint, api_key, api_version }, path: 'model' }
  const why = 'search tools need one, and Anthropic provides no embeddings (local needs no network and no key)'
  source.refuseMissing(['embedding_provider'], why)
  return null
}

function resolveWritten(context: AgentContext, { block, path: at }: Written): ResolvedEmbedding {
  const { env } = context
  const { provider } = block
  if (at === 'embedding_provider') checkSettings(context, block)
  const model = modelName(context, at === 'model' ? null : (block.name ?? null)) ?? usualModels[provider]
  if (model === null) {
    context.source.refuseMissing(['embedding_provider', 'name'], 'Azure identifies a model by its deployment name')
  }
  const embedding: EmbeddingSettings = {
    provider,
    model: model ?? '',
    endpoint: block.endpoint ?? null,
    apiVersion: provider === 'azure_openai' ? (block.api_version ?? defaultApiVersion) : null,
    dimensions: dimensionsOf(context),
  }
  if (provider === 'local') return { embedding, needs: noNeeds }
  const path = [at, 'api_key']
  const key = apiKeyAt(context, block.api_key, path)
  const missing = missingKey(provider, context, { env, apiKey: key, path })
  const noAddress = missingEndpoint(provider, block.endpoint, context)
  const report = (): void => {
    reportNeeds(context, { block, path: at }, missing)
    if (noAddress.length > 0 && at === 'embedding_provider') reportNoAddress(context, at)
  }
  return { embedding, needs: { key, missing: [...missing, ...noAddress], report } }
}

function reportNeeds(context: AgentContext, { block, path: at }: Written, missing: readonly string[]): void {
  const { source, options } = context
  // Missing credentials of the agent's own provider are reported there.
  if (at === 'model' || block.provider === 'local') return
  if (missing.length > 0) {
    const severity = options.credentials === 'note' ? 'warning' : 'error'
    const path = [at, block.api_key ? 'api_key' : 'provider']
    const message = missingSentence(block.provider, missing)
    source.report({ severity, code: 'config.missing-credential', path, message })
  }
  const what = 'the key and the text of every document'
  warnAboutHost(context, { signIn: block.provider, address: block.endpoint ?? null, path: [at, 'endpoint'], what })
}

function checkSettings(context: AgentContext, block: Written['block']): void {
  const { source } = context
  const idle = (['max_tokens', 'temperature', 'top_p'] as const).filter((key) => block[key] != null)
  for (const key of idle) source.warnNoEffect(['embedding_provider', key], 'embeddings do not use it')
  if (block.provider === 'local') {
    const remote = (['name', 'endpoint', 'api_key', 'api_version'] as const).filter((key) => block[key])
    for (const key of remote) source.warnNoEffectIn(['embedding_provider', key], 'with provider: local')
  } else if (block.api_version && block.provider !== 'azure_openai') {
    source.warnNoEffect(['embedding_provider', 'api_version'], 'only azure_openai uses it')
  }
  if (block.endpoint != null && !isAddress(block.endpoint)) {
    const message = '"embedding_provider.endpoint" must be an address without a user name or password'
    const path = ['embedding_provider', 'endpoint']
    source.report({ severity: 'error', code: 'config.exposed-secret', path, message })
  }
}

const searchingTools = ({ file }: AgentContext) =>
  (file.tools ?? []).flatMap((tool, index) => (isRetrievalTool(tool) ? [{ tool, index }] : []))

const modelName = (context: AgentContext, start: string | null): string | null =>
  oneOf(context, 'embedding_model', { start, settingOf: (tool) => tool.embedding_model })

const dimensionsOf = (context: AgentContext): number | null =>
  oneOf<number>(context, 'embedding_dimensions', {
    start: null,
    settingOf: (tool) => (tool.type === 'vectorstore' ? tool.embedding_dimensions : null),
  })

/** The setting of the search tools; all of them must agree with `start` and with each other. */
function oneOf<Value extends string | number>(
  context: AgentContext,
  key: 'embedding_model' | 'embedding_dimensions',
  { start, settingOf }: { start: Value | null; settingOf: (tool: SearchBlock) => Value | null | undefined },
): Value | null {
  let chosen = start
  for (const { tool, index } of searchingTools(context)) {
    const value = settingOf(tool)
    if (value == null) continue
    if (chosen !== null && chosen !== value) {
      const path = ['tools', index, key]
      const message = `"tools[${index}].${key}": an agent has one embedding model, and ${chosen} is already chosen`
      context.source.refuseValue(path, message)
    }
    chosen ??= value
  }
  return chosen
}

type SearchBlock = VectorstoreBlock | HierarchicalBlock
