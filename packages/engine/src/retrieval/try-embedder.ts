import type { AgentDefinition } from '@quarterdeck/protocol'
import type { EmbeddingAccess } from '../ports/model-connections.ts'
import { createEmbedders } from './embedders/create-embedders.ts'

/** Embeds one word, as a search would, and returns the length of the vector. Throws `tool.unavailable`. */
export async function tryEmbedder(
  agent: AgentDefinition,
  embeddings: (agent: AgentDefinition) => Promise<EmbeddingAccess>,
  signal: AbortSignal,
): Promise<number> {
  const embedders = createEmbedders({ embeddings })
  try {
    const [vector] = await embedders.of(agent).embed(['harbour'], signal)
    return vector?.length ?? 0
  } finally {
    await embedders.close()
  }
}
