// The port between retrieval and embedding models.
import type { EmbeddingSettings } from '@quarterdeck/protocol'

export interface Embedder {
  /** Vectors of embedders with different names are not comparable. */
  readonly name: string
  /**
   * One vector per text, in order and all of the same length. Throws `tool.unavailable` with a remedy; never returns an
   * empty vector.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}

export const embedderName = ({ provider, model, dimensions }: EmbeddingSettings): string =>
  `${provider}/${model}/${dimensions ?? 'own'}`
