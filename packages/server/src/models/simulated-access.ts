// The simulator in the place of whatever provider an agent names, on the wire that provider speaks.
import type { EmbeddingAccess, InProcessAccess } from '@quarterdeck/engine'
import type { AgentDefinition, ModelProvider } from '@quarterdeck/protocol'
import type { ProviderRoute } from './connect-models.ts'

/** Official clients insist on a key; this one opens nothing. */
const noKey = 'simulator'

export function simulatedRoute(agent: AgentDefinition, url: string): ProviderRoute {
  const upstream = { baseUrl: url, credential: null }
  if (agent.backend !== 'loop') return { type: 'gateway', upstream }
  const { provider, apiVersion } = agent.model
  const wire = wireOf(provider)
  const keyHeader = wire === 'anthropic' ? 'x-api-key' : 'authorization'
  const baseUrl = wire === 'openai' ? `${url}/v1` : url
  return {
    type: 'in-process',
    wire,
    baseUrl,
    apiKey: noKey,
    keyHeader,
    apiVersion,
    upstream,
  }
}

export function simulatedEmbeddings({ embedding }: AgentDefinition, url: string): EmbeddingAccess {
  if (embedding?.provider !== 'azure_openai') {
    return { wire: 'openai', baseUrl: `${url}/v1`, apiKey: noKey, apiVersion: null }
  }
  return { wire: 'azure_openai', baseUrl: url, apiKey: noKey, apiVersion: embedding.apiVersion }
}

/** What a provider speaks. */
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
