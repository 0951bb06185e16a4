import { type EmbeddingSettings, QuarterdeckError } from '@quarterdeck/protocol'

export const embedderUnavailable = (settings: EmbeddingSettings, detail: string, cause?: unknown): QuarterdeckError =>
  new QuarterdeckError('tool.unavailable', `embedding_provider ${settings.provider} (${settings.model}): ${detail}`, {
    facts: { provider: settings.provider, model: settings.model },
    cause,
  })

/** Every vector must have the length of the first one and the configured length. */
export function checkVectors(
  settings: EmbeddingSettings,
  vectors: readonly Float32Array[],
  expected: number,
): readonly Float32Array[] {
  if (vectors.length !== expected) {
    throw embedderUnavailable(settings, `returned ${vectors.length} vectors for ${expected} texts`)
  }
  const dimensions = settings.dimensions ?? vectors[0]?.length ?? 0
  for (const vector of vectors) {
    if (vector.length !== dimensions) {
      const remedy =
        settings.dimensions === null
          ? 'a model must always return the same length'
          : 'set embedding_dimensions to the length of the model’s vectors'
      throw embedderUnavailable(
        settings,
        `returned a vector of ${vector.length} instead of ${dimensions} numbers: ${remedy}`,
      )
    }
    if (!vector.every(Number.isFinite) || vector.every((value) => value === 0)) {
      throw embedderUnavailable(settings, 'returned an empty vector (zeros or invalid numbers)')
    }
  }
  return vectors
}
