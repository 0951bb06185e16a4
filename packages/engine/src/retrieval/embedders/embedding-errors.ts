import { type EmbeddingSettings, QuarterdeckError } from '@quarterdeck/protocol'

export const embedderUnavailable = (settings: EmbeddingSettings, detail: string, cause?: unknown): QuarterdeckError =>
  new QuarterdeckError('tool.unavailable', `embedding_provider ${settings.provider} (${settings.model}): ${detail}`, {
    facts: { provider: settings.provider, model: settings.model },
    cause,
  })

/** Every answer is as long as the first, and as long as was asked for. */
export function checkVectors(
  settings: EmbeddingSettings,
  vectors: readonly Float32Array[],
  expected: number,
): readonly Float32Array[] {
  if (vectors.length !== expected) {
    throw embedderUnavailable(settings, `gave ${vectors.length} vectors for ${expected} texts`)
  }
  const dimensions = settings.dimensions ?? vectors[0]?.length ?? 0
  for (const vector of vectors) {
    if (vector.length !== dimensions) {
      const remedy =
        settings.dimensions === null ? 'one model gives one length' : 'set embedding_dimensions to what the model gives'
      throw embedderUnavailable(
        settings,
        `gave a vector of ${vector.length} instead of ${dimensions} numbers: ${remedy}`,
      )
    }
    if (!vector.every(Number.isFinite) || vector.every((value) => value === 0)) {
      throw embedderUnavailable(settings, 'gave a vector that means nothing (zeros or no numbers)')
    }
  }
  return vectors
}
