// A deterministic vector for a text, from hashed words and their letters. Texts that share words or stems are near each
// other; the meaning of words is unknown.
import { isFiller, stemOf, wordsIn } from './words.ts'

const slotsPerFeature = 3
const wordWeight = 1
const lettersWeight = 0.25
const fillerWeight = 0.1

/** Of length one, unless the text has no letter or digit. */
export function embedText(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const [feature, weight] of featuresOf(text)) {
    for (let slot = 0; slot < slotsPerFeature; slot += 1) {
      const hash = hashOf(`${slot}:${feature}`)
      const at = hash % dimensions
      vector[at] = (vector[at] ?? 0) + (hash & 0x80000000 ? -weight : weight)
    }
  }
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

// A word that occurs ten times counts more than once, but not ten times.
function featuresOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  const add = (feature: string, weight: number) => counts.set(feature, (counts.get(feature) ?? 0) + weight)
  for (const word of wordsIn(text)) {
    if (isFiller(word)) {
      add(word, fillerWeight)
      continue
    }
    add(stemOf(word), wordWeight)
    for (let at = 0; at + 3 <= word.length; at += 1) add(`~${word.slice(at, at + 3)}`, lettersWeight)
  }
  return new Map([...counts].map(([feature, weight]) => [feature, Math.sqrt(weight)]))
}

/** FNV-1a, mixed once more: the low bits choose a dimension and the highest one a sign. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return (hash ^ (hash >>> 15)) >>> 0
}
