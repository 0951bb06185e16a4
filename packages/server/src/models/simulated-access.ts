// The simulator in place of the provider of an agent, on the protocol of that provider.
import type { EmbeddingAccess, InProcessAccess, ModelAccess } from '@quarterdeck/engine'
import type { GatewayUpstream } from '@quarterdeck/model'
import type { AgentDefinition, ModelProvider } from '@quarterdeck/protocol'

export interface InProcessRoute extends Omit<InProcessAccess, 'requests' | 'provider' | 'retryPolicy'> {
  /** Agents with the same value share one queue, gateways included. */
  readonly upstream: GatewayUpstream
}

/** How an agent reaches its provider: through a gateway that holds the key, by the loop, or with the key passed on. */
export type ProviderRoute =
  | { readonly type: 'gateway'; readonly upstream: GatewayUpstream }
  | InProcessRoute
  | Extract<ModelAccess, { type: 'environment' }>

/** Official clients require a key; this one grants nothing. */
const noKey = 'simulator'

export function simulatedRoute(agent: AgentDefinition, url: string): ProviderRoute {
  const upstream = { baseUrl: url, credential: null }
  if (agent.backend !== 'loop') return { type: 'gateway', upstream }
  const { provider, apiVersion } = agent.model
  const wire = wireOf(provider)
  const keyHeader = wire === 'anthropic' ? 'x-api-key' : 'authorization'
  const baseUrl = wire === 'openai' ? `${url}/v1` : url
  return { type: 'in-process', wire, baseUrl, apiKey: noKey, keyHeader, apiVersion, upstream }
}

export function simulatedEmbeddings({ embedding }: AgentDefinition, url: string): EmbeddingAccess {
  if (embedding?.provider !== 'azure_openai') {
    return { wire: 'openai', baseUrl: `${url}/v1`, apiKey: noKey, apiVersion: null }
  }
  return { wire: 'azure_openai', baseUrl: url, apiKey: noKey, apiVersion: embedding.apiVersion }
}

/** The protocol of a provider. */
export function wireOf(provider: ModelProvider): InProcessAccess['wire'] {
  switch (provider) {
    case 'anthropic':
    case 'simulator':
      return 'anthropic'
    case 'openai':
    case 'ollama':
      return 'openai'
    case 'azure_openai':
      return 'azure_openai'
  }
}
