// Words for comparison: lower case, reduced to their stem, without filler words.

const fillers = new Set(
  (
    'a about an and any are as at be been by can could did do does for from had has have he her his how i if in into ' +
    'is it its me my no not of on or our please shall she so some than that the their them then there these they ' +
    'this those to up us was we were what when where which who whom whose why will with would you your'
  ).split(' '),
)

export const isFiller = (word: string): boolean => fillers.has(word)

/** Names are split into words too: `addNote` and `add_note` are both two. */
export function wordsIn(text: string): string[] {
  const spaced = text.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ')
  return spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

export function stemOf(word: string): string {
  if (word.length <= 3) return word
  const single = word.replace(/ies$/, 'y').replace(/(?:([sxz]|[cs]h)es|([^su])s)$/, '$1$2')
  return single.length > 5 ? single.replace(/(?:ing|ed|ation|ator|ate|ly|e)$/, '') : single.replace(/e$/, '')
}

/** The stems of all words except fillers. */
export const stemsIn = (text: string): Set<string> =>
  new Set(
    wordsIn(text)
      .filter((word) => !isFiller(word))
      .map(stemOf),
  )
