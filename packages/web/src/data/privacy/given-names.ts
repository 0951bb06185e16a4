// Finds the aliases of a query. A query plan prints aliases like table columns, so a join on an alias may not be a join
// on that column.
import { bareText, codeTokens, type SqlToken } from '../sql/sql-names.ts'

/** Aliases of the query and its steps, ignoring case. Unclear names count as aliases. */
export function createGivenNames(texts: readonly string[]): (name: string) => boolean {
  const written = texts.map(wordsOf)
  // JavaScript steps name their computed values like columns.
  if (written.some((words) => words.some(({ text }, at) => text === 'columns' && words[at + 1]?.text === '(')))
    return () => true
  const given = new Set(written.flatMap((words) => words.filter((_, at) => isGiven(words, at)).map(({ text }) => text)))
  return (name) => given.has(name.toLowerCase())
}

interface Word {
  readonly kind: SqlToken['kind']
  /** In lower case; names and strings without quotes. */
  readonly text: string
}

const wordsOf = (sql: string): readonly Word[] =>
  codeTokens(sql).map((token) => ({ kind: token.kind, text: bareText(token).toLowerCase() }))

/** A name after one of these is used, not defined. */
const clauseKeywords = new Set(
  `select distinct all where on and or not by when then else case having qualify between in like ilike is from join using
   exclude values over filter limit offset any some`.split(/\s+/),
)

function isGiven(words: readonly Word[], at: number): boolean {
  const word = words[at]
  const before = words[at - 1]
  if (word === undefined || word.kind === 'other' || word.kind === 'number') return false
  // A string is a name as well after AS and in a struct.
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

/** The index of the enclosing bracket, before or after this index. */
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
