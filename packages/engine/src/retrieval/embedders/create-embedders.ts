import { type AgentDefinition, type EmbeddingSettings, QuarterdeckError } from '@quarterdeck/protocol'
import type { EmbeddingAccess } from '../../model-gateway.ts'
import type { Embedder } from './embedder.ts'
import { createLocalEmbedder, type LocalEmbedder } from './local-embedder.ts'
import { createOpenaiEmbedder } from './openai-embedder.ts'

export interface Embedders {
  /** The one of the agent's `embedding_provider`. Nothing is started or asked for yet. */
  of(agent: AgentDefinition): Embedder
  close(): Promise<void>
}

export function createEmbedders({
  embeddings,
}: {
  readonly embeddings: (agent: AgentDefinition) => Promise<EmbeddingAccess>
}): Embedders {
  let local: LocalEmbedder | null = null
  return {
    of(agent) {
      const settings: EmbeddingSettings | null = agent.embedding
      if (settings === null) {
        throw new QuarterdeckError('tool.unavailable', `agent "${agent.name}" has no embedding_provider`)
      }
      if (settings.provider !== 'local') return createOpenaiEmbedder({ settings, access: () => embeddings(agent) })
      local ??= createLocalEmbedder()
      return local
    },
    close: async () => local?.close(),
  }
}
