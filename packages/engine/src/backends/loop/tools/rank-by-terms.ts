// BM25: how well texts match a query, by shared words.

const saturation = 1.2
const lengthWeight = 0.75

export function rankByTerms(query: string, texts: readonly string[]): number[] {
  const documents = texts.map(termsOf)
  const averageLength = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(1, documents.length)
  const asked = [...new Set(termsOf(query))]
  const scores = documents.map(() => 0)
  for (const word of asked) {
    const counts = documents.map((words) => words.filter((one) => one === word).length)
    const holders = counts.filter((count) => count > 0).length
    const rarity = Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5))
    for (const [index, count] of counts.entries()) {
      const length = (documents[index]?.length ?? 0) / Math.max(1, averageLength)
      const weight = count + saturation * (1 - lengthWeight + lengthWeight * length)
      scores[index] = (scores[index] ?? 0) + (count === 0 ? 0 : (rarity * count * (saturation + 1)) / weight)
    }
  }
  return scores
}

/** Splits identifiers, so that `readInvoice` and `read_invoices` share their words; plural endings are ignored. */
function termsOf(text: string): string[] {
  const parted = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return (parted.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))
}
