// The port between retrieval and whoever turns text into vectors.
import type { EmbeddingSettings } from '@quarterdeck/protocol'

export interface Embedder {
  /** Vectors of two embedders with different names do not compare. */
  readonly name: string
  /**
   * One vector for each text, in their order and all of one length. Throws `tool.unavailable` with what to do about it;
   * never a vector that stands for nothing.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}

export const embedderName = ({ provider, model, dimensions }: EmbeddingSettings): string =>
  `${provider}/${model}/${dimensions ?? 'own'}`
