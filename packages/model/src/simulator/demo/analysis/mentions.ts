// Which names a question speaks of, however they are spelled there: `weight_kg` is "weights", `Größe` is "Größen".
import { isFiller, stemOf, wordsIn } from '../../words.ts'

export interface Mention<Item> {
  readonly item: Item
  /** 2 and more: the whole name is there. Below: a part of it. */
  readonly score: number
  /** The first of its words, among those of the question. */
  readonly at: number
  readonly length: number
}

/** Words at the end of a name that nobody says: units, and the marks of a key or a time. */
const units = new Set(
  'kg g t km m cm mm eur usd gbp chf kwh mwh wh c f pct at on date time ts dt utc id nr no num'.split(' '),
)

export function findMentions<Item extends { readonly name: string }>(
  question: string,
  items: readonly Item[],
): readonly Mention<Item>[] {
  const words = wordsIn(question)
  const found = items.flatMap((item) => {
    const mention = mentionOf(item, words, question)
    return mention === null ? [] : [mention]
  })
  return found.sort((one, other) => other.score - one.score)
}

function mentionOf<Item extends { readonly name: string }>(
  item: Item,
  words: readonly string[],
  question: string,
): Mention<Item> | null {
  const whole = wordsIn(item.name)
  if (isCommonWord(item.name)) {
    const at = markedPlace(item.name, question)
    return at === null ? null : { item, score: 3.5, at, length: 1 }
  }
  const said = whole.filter((word, index) => index === 0 || !units.has(word))
  const full = placeOf(whole, words)
  if (full !== null) return { item, score: 2.5 + whole.length, at: full, length: whole.length }
  const core = placeOf(said, words)
  if (core !== null && !isFiller(said.join(' '))) return { item, score: 2 + said.length, at: core, length: said.length }
  if (hasOtherLetters(item.name) && question.toLowerCase().includes(item.name.toLowerCase())) {
    return { item, score: 3, at: words.findIndex((word) => word.includes(item.name.toLowerCase())), length: 1 }
  }
  if (said.length < 2) return null
  // The last word of a name says what it is, those before it which one.
  const parts = said.map((word, index) => ({ word, score: index === said.length - 1 ? 1 : 0.6 }))
  const best = parts
    .filter(({ word }) => word.length > 2 && !isFiller(word))
    .flatMap(({ word, score }) => {
      const at = placeOf([word], words)
      return at === null ? [] : [{ score, at }]
    })
    .sort((one, other) => other.score - one.score)[0]
  return best === undefined ? null : { item, ...best, length: 1 }
}

/** `a` and `is` stand in every question: such a name counts in quotes, or behind the word "column". */
const isCommonWord = (name: string): boolean => isFiller(name.toLowerCase()) || /^[a-z]$/i.test(name)

function markedPlace(name: string, question: string): number | null {
  const found = new RegExp(`["“'‘\`]${name}["”'’\`]|\\bcolumn ${name}\\b`, 'iu').exec(question)
  if (found === null) return null
  return wordsIn(question.slice(0, found.index + found[0].length)).length - 1
}

/** Where the words stand in a row; fillers of the question between them do not count. */
function placeOf(wanted: readonly string[], words: readonly string[]): number | null {
  if (wanted.length === 0) return null
  for (let at = 0; at + wanted.length <= words.length; at += 1) {
    if (wanted.every((word, index) => isSame(word, words[at + index] ?? ''))) return at
  }
  return null
}

function isSame(one: string, other: string): boolean {
  if (one === other) return true
  if (one.length < 3 || other.length < 3) return false
  const [left, right] = [stemOf(one), stemOf(other)]
  if (left === right) return true
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  if (!long.startsWith(short)) return false
  return short.length >= 4 ? long.length - short.length <= 2 : /^[dsn]$/.test(long.slice(short.length))
}

/** Words of scripts without spaces stand inside others. */
const hasOtherLetters = (name: string): boolean => /[^\p{Script=Latin}\p{N}\p{P}\p{S}\s]/u.test(name)
