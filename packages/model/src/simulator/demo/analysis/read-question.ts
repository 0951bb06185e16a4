// From words to a task, by rules: names by their spelling, the rest by the words people use for it.
import { wordsIn } from '../../words.ts'
import { chooseTask } from './choose-task.ts'
import { isGroup, isKey, isMeasure, kindOf, likelyGroup, likelyMeasure } from './column-kind.ts'
import { durationPair, latePair, revenueParts } from './derived.ts'
import type { Facts } from './facts.ts'
import {
  type FoundValue,
  saidValues,
  sizeFilters,
  summaryValues,
  timeFilters,
  unexplainedNames,
  valueFilters,
} from './filters.ts'
import type { KnownColumn, KnownTable } from './known-tables.ts'
import { conditionIn, measuresOf } from './measures.ts'
import { doubtIn, type Noticed, type NoticedColumn, notice } from './noticed.ts'
import { planQueries } from './plan-queries.ts'
import { type QuestionWords, readWords } from './question-words.ts'
import type { ColumnRef, Doubt, Filter, Reading } from './reading.ts'
import { isRowsAsked } from './row-list.ts'
import { columnText, isOneForEach, type JoinKey, joinKey, type Source } from './sql-parts.ts'
import { unusedWords } from './unused-words.ts'

export interface Asked {
  readonly question: string
  /** The one before it, where this one goes on with it. */
  readonly before: string | null
  readonly tables: readonly KnownTable[]
  /** The table that was spoken of so far. */
  readonly current: string | null
  /** What the person chose where two columns fitted. */
  readonly chosen: readonly string[]
  /** Values that were looked up. */
  readonly values: readonly FoundValue[]
}

export interface ReadQuestion {
  readonly reading: Reading
  readonly doubt: Doubt | null
  /** Names of the question nothing explains, and the columns that may hold them. */
  readonly names: readonly string[]
  readonly lookUp: readonly ColumnRef[]
}

export function readQuestion(asked: Asked): ReadQuestion | null {
  const { chosen } = asked
  if (asked.tables.length === 0) return null
  const question = wholeQuestion(asked)
  const tables = currentFirst(asked)
  const words = readWords(question)
  const noticed = notice({ question, words }, tables, chosen)
  const fact = factTable(tables, noticed, { words, current: asked.current })
  const group = ownColumn(groupIn(noticed, fact, words), fact)
  const { source, caveats } = sourceOf(fact, group)
  const nameOf = ({ table, column }: ColumnRef) => columnText(source, table, column)
  const refs = refsOf(source)
  const values = valuesIn(asked, { question, noticed, refs })
  const facts: Facts = {
    ...{ question, words, noticed, source, nameOf },
    date: dateIn(noticed, source, words),
    measure: measureIn(noticed, fact, words),
    group: (group !== null && (group.item.table === fact || source.join !== null) ? group : null) ?? comparedBy(values),
  }
  const filters: readonly Filter[] = [
    ...timeFilters(question, facts.date, nameOf),
    ...sizeFilters(
      question,
      facts.measure ?? unitColumn(question, fact) ?? refOf(fact, likelyMeasure(fact.columns)),
      nameOf,
    ),
    ...valueFilters(oneForEach(values), nameOf),
  ]
  const names = unexplainedNames(question, [
    ...noticed.columns.map(({ item }) => item.name),
    ...tables.map(({ name }) => name),
    ...values.map(({ value }) => value),
  ])
  const condition = conditionIn(facts)
  const measures = measuresOf(facts, condition)
  // "The average rating of returned orders": what is so is then what is left.
  const isFilter = condition !== null && facts.measure !== null
  const only = isFilter ? [{ sql: condition.sql, words: `only ${condition.words}` }] : []
  const task = { ...facts, condition: isFilter ? null : condition, measures, filters: [...filters, ...only] }
  const chosenTask = chooseTask(task)
  const withheld = isRowsAsked(facts) && chosenTask.task.type !== 'list' ? [noRows] : []
  const reading: Reading = { source, ...chosenTask, caveats: [...caveats, ...withheld, ...leftOut(facts, values)] }
  const explained = [...names, ...values.map(({ value }) => value), ...reading.caveats]
  const unused = unusedWords({ question, noticed, reading, plan: planQueries(reading), explained })
  const own = new Set(wordsIn(asked.question))
  const notUsed = unused.filter((word) => own.has(word))
  return {
    reading: {
      ...reading,
      caveats: [
        ...reading.caveats,
        ...(notUsed.length === 0 ? [] : [`Not used of the question: ${notUsed.join(', ')}.`]),
      ],
    },
    doubt: doubtIn(noticed, fact),
    names,
    lookUp: names.length === 0 ? [] : lookUpColumns(refs),
  }
}

const noRows = 'Single rows were asked for: this answer leaves them out.'

/** Where two tables fit alike, it is the one that was spoken of so far. */
const currentFirst = ({ tables, current }: Asked): readonly KnownTable[] =>
  [...tables].sort((one, other) => Number(other.name === current) - Number(one.name === current))

function valuesIn(
  { values }: Asked,
  {
    question,
    noticed,
    refs,
  }: { readonly question: string; readonly noticed: Noticed; readonly refs: readonly ColumnRef[] },
): readonly FoundValue[] {
  return saidValues(question, [...values, ...summaryValues(refs)]).filter(
    ({ ref, value }) =>
      refs.some(({ table, name }) => table === ref.table && name === ref.name) && !isNamed(noticed, value),
  )
}

/** "Compare app and web": two values of a column are its groups. */
function comparedBy(values: readonly FoundValue[]): NoticedColumn | null {
  const found = values.find(({ ref }) =>
    values.some(
      (other) => other.ref.name === ref.name && other.ref.table === ref.table && other.value !== values[0]?.value,
    ),
  )
  const isTwice = found !== undefined && values.filter(({ ref }) => ref.name === found.ref.name).length > 1
  return isTwice ? { item: found.ref, score: 3, at: 0, length: 1, isGroup: true } : null
}

/** One column at a time: the others are named, so that nobody takes them for answered. */
function leftOut({ group, noticed, words }: Facts, values: readonly FoundValue[]): readonly string[] {
  if (group === null || words.isCorrelation) return []
  return noticed.columns
    .filter(
      ({ item, score, isGroup: isAsked }) =>
        item.name !== group.item.name && kindOf(item.column) === 'text' && score >= 2 && isAsked,
    )
    .filter(({ item }) => !values.some(({ ref }) => ref.name === item.name))
    .map(({ item }) => `The rows are grouped by ${group.item.name} alone; ${item.name} is another question.`)
}

/** "And by region?" is about what was asked before. */
function wholeQuestion({ question, before, tables }: Asked): string {
  if (before === null || !readWords(question).isFollowUp) return question
  const own = notice({ question, words: readWords(question) }, tables, [])
  const hasGroup = own.columns.some(({ isGroup }) => isGroup) || readWords(question).unit !== null
  // A new way to group takes the place of the old one; the rest of the old question stands.
  const old = notice({ question: before, words: readWords(before) }, tables, []).columns.filter(
    ({ isGroup: isOld }) => isOld,
  )
  const rest = hasGroup ? old.reduce((text, { item }) => withoutName(text, item.name), before) : before
  return `${rest.replace(/[?.!]+\s*$/, '')} ${question.charAt(0).toLowerCase()}${question.slice(1)}`
}

function withoutName(text: string, name: string): string {
  const words = wordsIn(name).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return text.replace(new RegExp(`\\b(?:by|per|each|every)?\\s*${words.join('[\\s_-]+')}\\p{L}{0,2}`, 'iu'), ' ')
}

const refOf = (table: KnownTable, column: KnownColumn | undefined): ColumnRef | null =>
  column === undefined ? null : { name: column.name, table, column }

const refsOf = ({ table, join }: Source): readonly ColumnRef[] =>
  [table, ...(join === null ? [] : [join.table])].flatMap((one) =>
    one.columns.map((column) => ({ name: column.name, table: one, column })),
  )

const isNamed = ({ columns, tables }: Noticed, value: string): boolean =>
  [...columns.map(({ item }) => item.name), ...tables.map(({ item }) => item.name)].some(
    (name) => name.toLowerCase() === value.toLowerCase(),
  )

/** Two columns may hold the same word: it is looked for in one. */
function oneForEach(values: readonly FoundValue[]): readonly FoundValue[] {
  const seen = new Set<string>()
  return values.filter(({ value }) => !seen.has(value.toLowerCase()) && seen.add(value.toLowerCase()))
}

/** Where the numbers are: the table of what is measured, else the one that is counted. */
function factTable(
  tables: readonly KnownTable[],
  { tables: spoken, columns }: Noticed,
  { words, current }: { readonly words: QuestionWords; readonly current: string | null },
): KnownTable {
  const measured = columns.find(({ item, isGroup }) => isMeasure(item.column) && !isGroup)?.item.table
  if (measured !== undefined) return measured
  if (words.isLate || words.isOnTime || words.isDuration) {
    const timed = tables.find((table) => latePair(table) !== null || durationPair(table, []) !== null)
    if (timed !== undefined) return timed
  }
  if (words.isMoney) {
    const sold = tables.find((table) => revenueParts(table) !== null)
    if (sold !== undefined) return sold
  }
  const group = columns.find(({ isGroup }) => isGroup)?.item.table
  // "Which region has the most deliveries": those are counted, and the regions may lie elsewhere.
  const counted = spoken
    .map(({ item }) => item)
    .find((table) => table !== group && group !== undefined && joins(table, group))
  const owner = columns.find(({ item, score }) => score >= 2 && !isKey(item))?.item.table
  const sofar = tables.find(({ name }) => name === current)
  const largest = [...tables].sort((one, other) => (other.rowCount ?? 0) - (one.rowCount ?? 0))[0]
  const named = counted ?? spoken[0]?.item ?? owner ?? columns[0]?.item.table
  return named ?? sofar ?? largest ?? (tables[0] as KnownTable)
}

const joins = (one: KnownTable, other: KnownTable): boolean =>
  joinKey(one, other) !== null || joinKey(other, one) !== null

/** The same name in the table itself comes before that of another. */
function groupIn({ columns }: Noticed, fact: KnownTable, words: QuestionWords): NoticedColumn | null {
  const fitting = columns.filter(({ item, isGroup: isAsked, score }) => {
    if (kindOf(item.column) === 'date' || kindOf(item.column) === 'other') return false
    const isCompared = words.isComparison || words.isCorrelation
    if (kindOf(item.column) === 'yes-no' && isCompared && words.unit === null) return true
    return isAsked || (kindOf(item.column) === 'text' && score >= 2 && !isKey(item))
  })
  const rank = ({ item, isGroup: isAsked, score }: NoticedColumn) =>
    (isAsked ? 4 : 0) + (item.table === fact ? 2 : 0) + (isGroup(item.column) ? 1 : 0) + Math.min(score, 5) / 10
  return [...fitting].sort((one, other) => rank(other) - rank(one))[0] ?? null
}

/** What the measured table has itself is not looked for in another. */
function ownColumn(group: NoticedColumn | null, fact: KnownTable): NoticedColumn | null {
  if (group === null || group.item.table === fact) return group
  const name = wordsIn(group.item.name).join(' ')
  const own = refOf(
    fact,
    fact.columns.find((column) => isGroup(column) && wordsIn(column.name).join(' ') === name),
  )
  return own === null ? group : { ...group, item: own }
}

function sourceOf(fact: KnownTable, group: NoticedColumn | null): { source: Source; caveats: readonly string[] } {
  if (group === null || group.item.table === fact) return { source: { table: fact, join: null }, caveats: [] }
  const other = group.item.table
  const keys = [joinKey(fact, other), turned(joinKey(other, fact), other)].flatMap((key) => key ?? [])
  const join = keys.find(isOneForEach)
  if (join !== undefined) return { source: { table: fact, join }, caveats: [] }
  const [key] = keys
  if (key !== undefined) {
    const many = `${group.item.name} is in ${other.name}, where one ${key.to.name} stands in several rows or may do so`
    const caveat = `${many}: joined, rows of ${fact.name} would count more than once, so it is left out.`
    return { source: { table: fact, join: null }, caveats: [caveat] }
  }
  const caveat = `${group.item.name} is in ${other.name}, and no column of ${fact.name} seems to join them.`
  return { source: { table: fact, join: null }, caveats: [caveat] }
}

const turned = (key: JoinKey | null, table: KnownTable): JoinKey | null =>
  key === null ? null : { table, from: key.to, to: key.from }

function dateIn({ columns }: Noticed, { table, join }: Source, words: QuestionWords): ColumnRef | null {
  const said = columns.find(({ item }) => kindOf(item.column) === 'date' && [table, join?.table].includes(item.table))
  const pair = words.isLate || words.isOnTime ? latePair(table) : null
  if (pair !== null) return refOf(table, pair.from)
  return (
    said?.item ??
    refOf(
      table,
      table.columns.find((column) => kindOf(column) === 'date'),
    )
  )
}

function measureIn({ columns }: Noticed, fact: KnownTable, words: QuestionWords): ColumnRef | null {
  const said = columns.find(({ item, isGroup }) => item.table === fact && isMeasure(item.column) && !isGroup)
  if (said !== undefined) return said.item
  const isMoney = words.isMoney && !words.isCount && revenueParts(fact) === null
  return isMoney ? refOf(fact, likelyMeasure(fact.columns)) : null
}

/** "Over 20 kg" speaks of `weight_kg`. */
function unitColumn(question: string, fact: KnownTable): ColumnRef | null {
  const unit = /\d\s*([a-z]{1,4})\b/i.exec(question)?.[1]?.toLowerCase()
  if (unit === undefined) return null
  return refOf(
    fact,
    fact.columns.find((column) => isMeasure(column) && wordsIn(column.name).slice(1).includes(unit)),
  )
}

/** Few columns, and such as names are in. */
function lookUpColumns(refs: readonly ColumnRef[]): readonly ColumnRef[] {
  const texts = refs.filter(({ column }) => kindOf(column) === 'text' && !isKey(column))
  const size = ({ column }: ColumnRef) => column.summary?.distinct ?? 1000
  const best = likelyGroup(texts.map(({ column }) => column))
  return [...texts]
    .sort((one, other) => Number(other.column === best) - Number(one.column === best) || size(one) - size(other))
    .slice(0, 3)
}
