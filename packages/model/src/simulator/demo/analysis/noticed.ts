// The names a question speaks of, each with what it seems to be there for.
import { wordsIn } from '../../words.ts'
import { isGroup as isGroupColumn, isKey, isMeasure, kindOf } from './column-kind.ts'
import type { KnownTable } from './known-tables.ts'
import { findMentions, type Mention } from './mentions.ts'
import type { QuestionWords } from './question-words.ts'
import type { ColumnRef, Doubt } from './reading.ts'

export interface Noticed {
  readonly tables: readonly Mention<KnownTable>[]
  /** Best first; those that are a part of a better one are gone. */
  readonly columns: readonly NoticedColumn[]
}

export interface NoticedColumn extends Mention<ColumnRef> {
  /** "by region", "which region", "for each region". */
  readonly isGroup: boolean
}

const groupWords = new Set(
  'by per each every which what across between among versus vs compare grouped whose'.split(' '),
)
const between = new Set(['the', 'a', 'of', 'its', 'their', 'different', 'all', 'and', 'column'])

export function notice(
  { question, words }: { readonly question: string; readonly words: QuestionWords },
  tables: readonly KnownTable[],
  chosen: readonly string[],
): Noticed {
  const refs = tables.flatMap((table) => table.columns.map((column) => ({ name: column.name, table, column })))
  const spoken = findMentions(question, tables).filter(({ score }) => score >= 2)
  const covers = (one: { at: number; length: number }, other: { at: number }) =>
    other.at >= one.at && other.at < one.at + one.length
  const mentions = findMentions(withSynonyms(question), refs)
  const hasText = mentions.some(({ item, score }) => score >= 2 && isGroupColumn(item.column))
  // "The top products by quantity" are products: what comes behind "by" is what orders them.
  const isOrder = ({ column }: ColumnRef) =>
    isMeasure(column) && (hasText || words.limit !== null || words.isComparison)
  const found = mentions.map((mention) => ({
    ...mention,
    score: mention.score + (isChosen(mention.item, chosen) ? 10 : 0),
    isGroup: isAfterGroupWord(words.words, mention.at) && !isOrder(mention.item),
  }))
  const columns = found.filter((mention) => {
    const isBeaten = found.some(
      (other) => other.score > mention.score && covers(other, mention) && (other.score >= 2 || mention.score < 1),
    )
    const isTable = spoken.some(
      (table) =>
        covers(table, mention) &&
        (table.score > mention.score ||
          (table.score === mention.score && kindOf(mention.item.column) === 'text' && !mention.isGroup)),
    )
    const isTableKey = isKey(mention.item) && spoken.some((table) => covers(table, mention))
    return !isBeaten && !isTableKey && !isTable && !isReserved(words.words, mention)
  })
  return { tables: spoken, columns }
}

/** What people say for what a column is usually called. */
const synonyms: readonly (readonly [RegExp, string])[] = [
  [/\b(?:heav\w+|light(?:er|est))\b/i, 'weight'],
  [/\b(?:expensive|cheap\w*|costly|pric(?:ey|y))\b/i, 'price cost fee'],
  [/\b(?:old(?:er|est)?|young\w*)\b/i, 'age'],
  [/\b(?:hot\w*|cold\w*|warm\w*)\b/i, 'temperature temp'],
  [/\b(?:customers?|clients?|buyers?)\b/i, 'customer client'],
]

export const synonymsOf = (word: string): readonly string[] =>
  synonyms.flatMap(([sign, words]) => (sign.test(word) ? words.split(' ') : []))

const withSynonyms = (question: string): string =>
  [question, ...synonyms.flatMap(([sign, words]) => (sign.test(question) ? [words] : []))].join(' | ')

/** Words that say how to count name a column only as they are written. */
const reserved = new Set(
  'rate share percent percentage total sum average mean median most least first last count number late month year day time'.split(
    ' ',
  ),
)

function isReserved(words: readonly string[], { item, at, length }: Mention<ColumnRef>): boolean {
  const word = words[at] ?? ''
  return length === 1 && reserved.has(word) && !wordsIn(item.name).includes(word)
}

function isAfterGroupWord(words: readonly string[], at: number): boolean {
  let before = at - 1
  while (before >= 0 && between.has(words[before] ?? '')) before -= 1
  const word = words[before] ?? ''
  return groupWords.has(word) && !(word === 'what' && ['is', 'are', 'was'].includes(words[before + 1] ?? ''))
}

const qualified = ({ name, table }: ColumnRef): string => `${table.name}.${name}`

const isChosen = (ref: ColumnRef, chosen: readonly string[]): boolean =>
  chosen.includes(ref.name) || chosen.includes(qualified(ref))

/** Two columns of one kind that the same word fits equally well; what the measured table has itself is none. */
export function doubtIn({ columns }: Noticed, fact: KnownTable): Doubt | null {
  const [first] = columns.filter(({ item }) => kindOf(item.column) === 'number' && !isKey(item))
  for (const best of [first, columns.find(({ isGroup }) => isGroup)]) {
    if (best === undefined || best.score >= 10) continue
    const equal = columns.filter(
      ({ item, score, at }) =>
        score === best.score && at === best.at && kindOf(item.column) === kindOf(best.item.column),
    )
    const own = equal.filter(({ item }) => item.table === fact)
    const refs = (own.length > 0 ? own : equal).map(({ item }) => item)
    const isOneTable = refs.every(({ table }) => table === refs[0]?.table)
    const names = [...new Set(refs.map((ref) => (isOneTable ? ref.name : qualified(ref))))]
    const isOneName = new Set(refs.map(({ name }) => name)).size === 1
    if (names.length > 1 && names.length <= 6 && !isOneName) return { options: names }
  }
  return null
}
