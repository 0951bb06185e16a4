// The value that a message gives a field by its name: "rating: 4", "14 days", "not urgent".
import { isFiller, stemOf, wordsIn } from '../../replies/words.ts'

const numberPattern = '(-?\\d+(?:[.,]\\d+)?)(?![\\w]|[.,]\\d)'

export function numberNear(name: string, text: string): number | null {
  const named = spelled(name)
  if (named === null) return null
  const signs = [
    `${named}\\s*(?:[:=#]|is|of|are|was)\\s*${numberPattern}`,
    `(?<![\\w.,-])${numberPattern}\\s+${named}`,
    `${named}\\s+${numberPattern}`,
  ]
  const found = signs.map((sign) => new RegExp(sign, 'iu').exec(text)?.[1]).find((value) => value !== undefined)
  return found === undefined ? null : Number(found.replace(',', '.'))
}

/** Up to the next punctuation mark: "colour: dark red, size: 4". */
export function wordsNear(name: string, text: string): string | null {
  const named = spelled(name)
  if (named === null) return null
  return new RegExp(`${named}\\s*(?:[:=]|\\bis\\b)\\s*([^,;.\\n]+)`, 'iu').exec(text)?.[1]?.trim() ?? null
}

/** Mentioned, and not negated in the words before it. */
export function isMentioned(name: string, text: string): boolean {
  const named = spelled(name)
  if (named === null) return false
  const mentioned = new RegExp(named, 'iu').exec(text)
  if (mentioned === null) return false
  return !/(?:\b(?:not|no|never|without)|n['’]t)\s+(?:\S+\s+){0,2}$/iu.test(text.slice(0, mentioned.index))
}

/** Its words in sequence, in any form. */
function spelled(name: string): string | null {
  const words = wordsIn(name).filter((word) => !isFiller(word))
  return words.length === 0 ? null : `\\b${words.map((word) => `${stemOf(word)}[\\p{L}]*`).join('[\\s_-]+')}`
}
