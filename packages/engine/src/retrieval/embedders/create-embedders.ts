import { type AgentDefinition, type EmbeddingSettings, QuarterdeckError } from '@quarterdeck/protocol'
import type { EmbeddingAccess } from '../../ports/model-connections.ts'
import { type Embedder, embedderName } from './embedder.ts'
import { createLocalEmbedder, type LocalEmbedder } from './local-embedder.ts'

export type Embedders = ReturnType<typeof createEmbedders>

type AccessOf = (agent: AgentDefinition) => Promise<EmbeddingAccess>

export function createEmbedders({ embeddings }: { readonly embeddings: AccessOf }) {
  let local: LocalEmbedder | null = null
  return {
    /** The embedder of the agent's `embedding_provider`. Nothing is started or requested yet. */
    of(agent: AgentDefinition) {
      const settings: EmbeddingSettings | null = agent.embedding
      if (settings === null) {
        throw new QuarterdeckError('tool.unavailable', `agent "${agent.name}" has no embedding_provider`)
      }
      if (settings.provider !== 'local') return remoteEmbedder(settings, () => embeddings(agent))
      local ??= createLocalEmbedder()
      return local
    },
    close: async () => local?.close(),
  }
}

/**
 * The client is loaded with the first text: most agents never need it, and loading takes as long as the rest of
 * startup.
 */
function remoteEmbedder(settings: EmbeddingSettings, access: () => Promise<EmbeddingAccess>): Embedder {
  let opened: Promise<Embedder> | null = null
  const open = async () => (await import('./openai-embedder.ts')).createOpenaiEmbedder({ settings, access })
  return {
    name: embedderName(settings),
    async embed(texts, signal) {
      opened ??= open()
      return (await opened).embed(texts, signal)
    },
  }
}

/** Embeds one word, as a search would, and returns the length of the vector. Throws `tool.unavailable`. */
export async function tryEmbedder(agent: AgentDefinition, embeddings: AccessOf, signal: AbortSignal): Promise<number> {
  const embedders = createEmbedders({ embeddings })
  try {
    const [vector] = await embedders.of(agent).embed(['harbour'], signal)
    return vector?.length ?? 0
  } finally {
    await embedders.close()
  }
}
