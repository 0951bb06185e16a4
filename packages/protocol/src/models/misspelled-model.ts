// Distinguishes a misspelled model name from one that the catalog does not list yet.

/**
 * The known name that `name` misspells. Undefined for a name that differs only in its numbers, such as a newer version
 * or a dated snapshot, and for a name that resembles no known one: the provider may have both.
 */
export function misspelledModel(name: string, known: readonly string[]): string | undefined {
  if (name.length > 100 || known.includes(name)) return undefined
  const sameLetters = known.find((candidate) => plain(candidate) === plain(name))
  if (sameLetters !== undefined) return sameLetters
  const words = wordsOf(name)
  const families = known.map((candidate) => ({ candidate, words: wordsOf(candidate) }))
  if (families.some((family) => family.words.join(' ') === words.join(' '))) return undefined
  const near = families.filter((family) => areNear(words, family.words)).map(({ candidate }) => candidate)
  return near.toSorted((left, right) => editDistance(name, left) - editDistance(name, right))[0]
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_.\s]/g, '')

/** Shorter runs of letters belong to a version: `4o`, `v1`. */
const wordsOf = (name: string): readonly string[] => name.toLowerCase().match(/[a-z]{3,}/g) ?? []

const areNear = (words: readonly string[], known: readonly string[]): boolean =>
  words.length > 0 && words.length === known.length && known.every((word, at) => isNear(words[at] ?? '', word))

/** Short words resemble many others: in a word of three letters only the order of the letters may differ. */
function isNear(word: string, known: string): boolean {
  if (known.length < 4) return [...word].toSorted().join('') === [...known].toSorted().join('')
  return editDistance(word, known) <= (known.length < 5 ? 1 : 2)
}

/** The number of letters added, left out, replaced, or swapped with their neighbour. */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1]
      const isSwapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      const replaced = at(i - 1, j - 1) + (isSame ? 0 : 1)
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1))
    }
  }
  return at(left.length, right.length)
}
