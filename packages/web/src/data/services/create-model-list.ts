import type { Client } from '@quarterdeck/client'
import type { ModelSummary } from '@quarterdeck/protocol'

/** The models of the server, for what they cost: asked for once, empty until they are known. */
export function createModelList(client: Pick<Client, 'listModels'>): () => readonly ModelSummary[] {
  let models: readonly ModelSummary[] | null = null
  return () => {
    if (models === null) {
      models = []
      client.listModels().then(
        (listed) => {
          models = listed.models
        },
        () => {
          models = null // asked again next time
        },
      )
    }
    return models
  }
}
