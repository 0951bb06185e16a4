// The local model reads only the first 128 word pieces, so a longer text is read in windows.

/** About a hundred English word pieces. */
const windowWords = 70

export function windowsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (words.length <= windowWords) return [text.trim() === '' ? '-' : text]
  // Evenly, so that a short last window does not weigh as much as a full one.
  const count = Math.ceil(words.length / windowWords)
  const size = Math.ceil(words.length / count)
  return Array.from({ length: count }, (_, index) => words.slice(index * size, (index + 1) * size).join(' ')).filter(
    (window) => window !== '',
  )
}

/** Normalized to length one, like the model's own vectors. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const [first, ...others] = vectors
  if (first === undefined) return new Float32Array()
  if (others.length === 0) return first
  const sum = Float32Array.from(first)
  for (const vector of others) for (const [index, value] of vector.entries()) sum[index] = (sum[index] ?? 0) + value
  const length = Math.hypot(...sum)
  return length === 0 ? sum : sum.map((value) => value / length)
}
