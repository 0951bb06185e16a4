// A question that wants to see rows themselves: "show me the first 5 rows", "list all orders without a city", "the five
// largest orders". Nothing is added up: at level 1 the person is asked before such rows are sent.
import { wordsIn } from '../../words.ts'
import { isGroup, kindOf, likelyMeasure } from './column-kind.ts'
import type { Facts } from './facts.ts'
import type { Condition } from './measures.ts'
import { mostLimit, numberIn } from './question-words.ts'
import type { ColumnRef, Filter, ListTask } from './reading.ts'
import { quoted } from './sql-parts.ts'

const verbs = new Set('show list display print give get fetch see'.split(' '))
const nouns = new Set('row rows record records line lines entry entries'.split(' '))
const emptyWords = new Set('missing null nulls empty blank without'.split(' '))
/** Between the verb and the rows: something else is shown then. */
const other = new Set(
  'how many number count share percent percentage average mean median total sum of in for from by per each which what'.split(
    ' ',
  ),
)

/** "Show … rows", "list all orders": rows are asked for in so many words. */
export function isRowsAsked(facts: Pick<Facts, 'words' | 'noticed'>): boolean {
  return rowsPlace(facts) !== null
}

/** Where the word for the rows stands. */
function rowsPlace({ words: { words, limit }, noticed }: Pick<Facts, 'words' | 'noticed'>): number | null {
  // A column may be called so: the lines of a factory.
  const columns = noticed.columns.filter(({ score }) => score >= 2)
  const isNoun = (at: number) =>
    nouns.has(words[at] ?? '') && !columns.some((one) => at >= one.at && at < one.at + one.length)
  const isWhich = (at: number) => ['which', 'what'].includes(words[at] ?? '') && isNoun(at + 1)
  const asks = words.findIndex((word, at) => verbs.has(word) || isWhich(at))
  if (asks < 0 || asks > 4) return null
  const tables = noticed.tables.map(({ at, length }) => at + length - 1)
  const noun = words.findIndex((_, at) => at > asks && (isNoun(at) || tables.includes(at)))
  const between = words.slice(asks + 1, noun)
  if (noun < 0 || between.length > 6 || between.some((word) => other.has(word))) return null
  // "Show me sales" may want anything; "list all sales" wants them.
  const isPlain = words[asks] === 'list' || limit !== null || between.some((word) => ['all', 'every'].includes(word))
  return isNoun(noun) || isPlain ? noun : null
}

/** `condition`: what is so in each of the rows that are meant. */
export function listTask(
  facts: Facts & { readonly condition: Condition | null },
): { readonly task: ListTask; readonly filters: readonly Filter[] } | null {
  const { words, group } = facts
  const at = rowsPlace(facts)
  const isOrdered = words.order !== null || words.end !== null || recent.test(facts.question)
  const isRanked = words.limit !== null && group === null && isOrdered
  if ((at === null && !isRanked) || isAboutAll(facts)) return null
  if (group?.isGroup === true && isGroup(group.item.column)) return null
  const empty = emptyFilter(facts)
  if (empty === null && words.isMissing) return null
  const order = orderOf(facts, nouns.has(words.words[at ?? -1] ?? ''))
  const from = order === null && (words.end === 'last' || /\bbottom\b/i.test(facts.question)) ? 'last' : 'first'
  const only = facts.condition === null ? [] : [{ sql: facts.condition.sql, words: `only ${facts.condition.words}` }]
  const task: ListTask = { type: 'list', order, from, limit: limitOf(facts, at) }
  return { task, filters: [...only, ...(empty === null ? [] : [empty])] }
}

/** What is counted, added up or compared is no list. */
function isAboutAll({ words, measure }: Facts): boolean {
  const added = words.aggregates.some((one) => one === 'sum' || one === 'average' || one === 'median')
  const isName = measure !== null && /\b(total|sum|average|avg|mean|median)\b/.test(wordsIn(measure.name).join(' '))
  const isOther = words.isCount || words.isShare || words.isDuplicate || words.isDistribution || words.isCorrelation
  return (
    isOther || words.isDistinct || words.isDuration || words.unit !== null || words.cycle !== null || (added && !isName)
  )
}

const recent = /\b(?:latest|newest|most recent)\b/i

/** By a number, or by time; `null` is as they lie in the table. */
function orderOf({ question, words, date, measure, source }: Facts, isRows: boolean): ListTask['order'] {
  const isRecent = recent.test(question)
  const isTimed = isRecent || /\b(?:earliest|oldest)\b/i.test(question) || (words.end !== null && !isRows)
  if (isTimed && measure === null && date?.table === source.table) {
    return { ref: date, direction: isRecent || words.end === 'last' ? 'down' : 'up' }
  }
  if (words.order === null) return null
  const likely = likelyMeasure(source.table.columns)
  const isPlace = isRows && /\b(?:top|bottom)\b/i.test(question)
  const guessed = likely === undefined || isPlace ? null : { name: likely.name, table: source.table, column: likely }
  const ref = measure ?? guessed
  return ref === null ? null : { ref, direction: words.order }
}

/** A few where nothing is said, as many as leave at once where all are wanted. */
function limitOf({ words: { words, limit }, question }: Facts, at: number | null): number {
  const counted = at === null ? null : numberIn(words[at - 1] ?? '')
  const isOne = at !== null && ['row', 'record', 'line', 'entry'].includes(words[at] ?? '')
  const isAll = /\b(?:all|every|where|without|empty|missing)\b/i.test(question)
  return limit ?? counted ?? (isOne ? 1 : isAll ? mostLimit : 10)
}

/** "Where city is empty": of the columns that are named, the one next to that word. */
function emptyFilter({ question, words: { words }, noticed, source, nameOf }: Facts): Filter | null {
  const at = words.findIndex((word) => emptyWords.has(word))
  if (at < 0) return null
  const own = noticed.columns.filter(({ item, score }) => item.table === source.table && score >= 2)
  const [next] = [...own].sort((one, two) => Math.abs(one.at - at) - Math.abs(two.at - at))
  if (next !== undefined) return emptyCell(next.item, nameOf, /\bnot (?:missing|null|empty|blank)\b/i.test(question))
  const cells = source.table.columns.filter((column) => kindOf(column) !== 'other').slice(0, 40)
  if (words[at] === 'without' || cells.length === 0) return null
  return { sql: `(${cells.map(({ name }) => `${quoted(name)} IS NULL`).join(' OR ')})`, words: 'with an empty cell' }
}

const emptyCell = (ref: ColumnRef, nameOf: Facts['nameOf'], isDenied: boolean): Filter =>
  isDenied
    ? { sql: `${nameOf(ref)} IS NOT NULL`, words: `with a ${ref.name}` }
    : { sql: `${nameOf(ref)} IS NULL`, words: `with an empty ${ref.name}` }
