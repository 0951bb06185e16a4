// An embedder that derives vectors from letters and counts its requests, for tests about which texts are embedded.
import type { Embedder } from '../embedders/embedder.ts'

export interface CountingEmbedder extends Embedder {
  readonly texts: string[]
  /** Called before each batch; throwing simulates a failing provider. */
  before: () => void
}

export function createCountingEmbedder(dimensions = 16, name = 'counting'): CountingEmbedder {
  const texts: string[] = []
  const embedder: CountingEmbedder = {
    name,
    texts,
    before: () => undefined,
    async embed(asked) {
      embedder.before()
      texts.push(...asked)
      return asked.map((text) => vectorOf(text, dimensions))
    },
  }
  return embedder
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions).fill(0.01)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const dimension = [...word].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % dimensions, 7)
    vector[dimension] = (vector[dimension] ?? 0) + 1
  }
  return vector
}
