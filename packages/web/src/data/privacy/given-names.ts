// Which names a query gives to something of its own. A plan says them as it says the columns of tables: a join by such a
// name need not be one by that column.
import { type SqlToken, sqlTokens, stringValue } from '../sql/sql-names.ts'

/** Of the query and the steps behind it, in any case of letters. In doubt a name is given. */
export function createGivenNames(texts: readonly string[]): (name: string) => boolean {
  const written = texts.map(wordsOf)
  // It computes, and names what it computed after the columns.
  if (written.some((words) => words.some(({ text }, at) => text === 'columns' && words[at + 1]?.text === '(')))
    return () => true
  const given = new Set(
    written.flatMap((words) => words.flatMap((word, at) => (isGiven(words, at) ? [word.text] : []))),
  )
  return (name) => given.has(name.toLowerCase())
}

interface Word {
  readonly kind: SqlToken['kind']
  /** Of names and strings without quotes. */
  readonly text: string
}

const wordsOf = (sql: string): readonly Word[] =>
  [...sqlTokens(sql)]
    .filter(({ kind }) => kind !== 'space' && kind !== 'comment')
    .map(({ kind, text }) => ({ kind, text: bare({ kind, text }).toLowerCase() }))

function bare({ kind, text }: SqlToken): string {
  if (kind === 'quoted') return text.slice(1, -1).replaceAll('""', '"')
  return kind === 'string' ? stringValue(text) : text
}

/** Behind these a name is used. */
const clauseKeywords = new Set(
  `select distinct all where on and or not by when then else case having qualify between in like ilike is from join using
   exclude values over filter limit offset any some`.split(/\s+/),
)

function isGiven(words: readonly Word[], at: number): boolean {
  const word = words[at]
  const before = words[at - 1]
  if (word === undefined || word.kind === 'other' || word.kind === 'number') return false
  // A string is a name too behind AS, and in a struct.
  if (word.kind === 'string' || (words[at + 1]?.text === ':' && words[at + 2]?.text !== ':')) return true
  if (before === undefined) return false
  if (before.kind !== 'other') return !isClause(before) && !isSameAgain(words, at)
  return /^[)\]}]$/.test(before.text) || (/^[(,]$/.test(before.text) && isInNameList(words, at))
}

const isClause = ({ kind, text }: Word): boolean => kind === 'word' && clauseKeywords.has(text)

/** `SELECT s.pay AS pay` */
function isSameAgain(words: readonly Word[], at: number): boolean {
  if (words[at - 1]?.text !== 'as' || words[at - 2]?.text !== words[at]?.text) return false
  const start = words[at - 3]?.text === '.' ? at - 5 : at - 3
  return /^(select|distinct|,)$/.test(words[start]?.text ?? '')
}

/** `(…) a(x, pay)`, `WITH a(x, pay) AS (…)`, and not `sum(pay)`. */
function isInNameList(words: readonly Word[], at: number): boolean {
  const open = bracketFrom(words, at, -1)
  const [before, owner] = [words[open - 2], words[open - 1]]
  if (owner === undefined || (owner.kind !== 'word' && owner.kind !== 'quoted') || isClause(owner)) return false
  if (before === undefined) return false
  if (before.kind !== 'other') return !isClause(before)
  if (before.text === ')') return true
  const close = bracketFrom(words, at, 1)
  const [next, last] = [words[close + 1]?.text, words[close + 2]?.text ?? '']
  return before.text === ',' && (next === 'using' || (next === 'as' && /^(\(|materialized|not)$/.test(last)))
}

/** The place of the bracket around this place, before or behind it. */
function bracketFrom(words: readonly Word[], from: number, step: 1 | -1): number {
  let depth = 0
  for (let at = from; at >= 0 && at < words.length; at += step) {
    const { kind, text } = words[at] ?? { kind: 'space', text: '' }
    if (kind !== 'other' || !/^[()]$/.test(text)) continue
    const isOuter = text === (step < 0 ? '(' : ')')
    if (isOuter && depth === 0) return at
    depth += isOuter ? -1 : 1
  }
  return -1
}
