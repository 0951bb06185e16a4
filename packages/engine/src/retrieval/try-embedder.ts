import type { AgentDefinition } from '@quarterdeck/protocol'
import type { EmbeddingAccess } from '../ports/model-gateway.ts'
import { createEmbedders } from './embedders/create-embedders.ts'

/** Turns one word into a vector, as a search would: how long it is. Throws `tool.unavailable`. */
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
