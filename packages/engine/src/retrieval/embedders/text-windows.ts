// The local model reads 128 word pieces and is blind to the rest: a longer text is read window by window.

/** About a hundred word pieces of English. */
const windowWords = 70

export function windowsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (words.length <= windowWords) return [text.trim() === '' ? '-' : text]
  // Evenly, so that the last window is not a leftover that weighs as much as a full one.
  const count = Math.ceil(words.length / windowWords)
  const size = Math.ceil(words.length / count)
  return Array.from({ length: count }, (_, index) => words.slice(index * size, (index + 1) * size).join(' ')).filter(
    (window) => window !== '',
  )
}

/** Of length one, as the model's own are. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const [first, ...others] = vectors
  if (first === undefined) return new Float32Array()
  if (others.length === 0) return first
  const sum = Float32Array.from(first)
  for (const vector of others) for (const [index, value] of vector.entries()) sum[index] = (sum[index] ?? 0) + value
  const length = Math.hypot(...sum)
  return length === 0 ? sum : sum.map((value) => value / length)
}
