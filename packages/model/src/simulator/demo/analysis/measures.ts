// What is counted, added up or averaged.
import { wordsIn } from '../../words.ts'
import { isAdded, isAveraged, isMeasure, isRated, kindOf, likelyMeasure } from './column-kind.ts'
import { durationPair, durationSql, latePair, revenueParts } from './derived.ts'
import type { Facts } from './facts.ts'
import { sizeFilters } from './filters.ts'
import type { KnownColumn } from './known-tables.ts'
import type { Aggregate, QuestionWords } from './question-words.ts'
import type { ColumnRef, Measure } from './reading.ts'

/** Something that is so or not so in each row. */
export interface Condition {
  readonly sql: string
  readonly words: string
  readonly needs: readonly string[]
}

export function conditionIn({ words, noticed, source, nameOf, group }: Facts): Condition | null {
  const { table } = source
  const name = (column: KnownColumn) => nameOf({ name: column.name, table, column })
  if (words.isLate || words.isOnTime) {
    const pair = latePair(table)
    if (pair !== null) {
      const [from, to] = [name(pair.from), name(pair.to)]
      return words.isLate
        ? { sql: `${to} > ${from}`, words: `late ${table.name}`, needs: [to] }
        : { sql: `${to} <= ${from}`, words: `${table.name} on time`, needs: [to] }
    }
  }
  const flag = noticed.columns.find(
    ({ item, isGroup }) => kindOf(item.column) === 'yes-no' && !isGroup && item.table === table && item !== group?.item,
  )
  if (flag === undefined) return null
  const isDenied = ['not', 'never', 'without', 'no'].includes(words.words[flag.at - 1] ?? '')
  const said = spoken(flag.item.name).replace(/^(?:is|has|was) /, '')
  const named = /^\w+ed$/.test(said) ? `${said} ${table.name}` : `rows with ${said}`
  const sql = nameOf(flag.item)
  return isDenied
    ? { sql: `NOT ${sql}`, words: `${table.name} not ${said}`, needs: [sql] }
    : { sql, words: named, needs: [sql] }
}

/** The first is the one that orders and draws. Empty where only rows can be counted. */
export function measuresOf(facts: Facts, condition: Condition | null): readonly Measure[] {
  const { words, measure, source } = facts
  const duration = words.isDuration ? durationMeasures(facts) : []
  if (duration.length > 0) return duration
  if (condition !== null && measure === null) return [conditionMeasure(condition, words)]
  // "How many have an amount over 300" counts them.
  const isCounted =
    words.isCount && words.aggregates.length === 0 && sizeFilters(facts.question, measure, facts.nameOf).length > 0
  if (isCounted) return []
  const difference = differenceMeasure(facts)
  if (difference !== null) return [difference]
  if (measure !== null) return columnMeasures(facts, measure)
  if (words.isMoney && !words.isCount) {
    const revenue = revenueMeasure(facts)
    if (revenue !== null) return [revenue]
  }
  const counted = countedAfterOrder(facts)
  if (counted !== null) return [counted]
  const likely = likelyMeasure(source.table.columns)
  const wantsNumber = words.aggregates.some((one) => one === 'sum' || one === 'average' || one === 'median')
  if (likely === undefined || words.isCount) return []
  if (!wantsNumber && !(words.order !== null && !isTableAfterOrder(facts))) return []
  return columnMeasures(facts, { name: likely.name, table: source.table, column: likely })
}

/** "Spent more than planned": two amounts of the same rows. */
function differenceMeasure({ question, noticed, source, nameOf }: Facts): Measure | null {
  const than = wordsIn(question).findIndex((word, at, all) => word === 'than' && comparatives.has(all[at - 1] ?? ''))
  if (than < 0) return null
  const amounts = noticed.columns.filter(({ item }) => item.table === source.table && isMeasure(item.column))
  const [one, other] = [amounts.find(({ at }) => at < than), amounts.find(({ at }) => at > than)]
  if (one === undefined || other === undefined || one.item.name === other.item.name) return null
  const [left, right] = [nameOf(one.item), nameOf(other.item)]
  return {
    sql: `sum(${left} - ${right})`,
    label: `${one.item.name} minus ${other.item.name}`,
    needs: [left, right],
  }
}

const comparatives = new Set('more less higher lower greater larger smaller bigger fewer'.split(' '))

export const countMeasure = ({ source: { table } }: Pick<Facts, 'source'>): Measure => ({
  ...{ sql: 'count(*)', label: `number of ${spoken(table.name)}`, needs: [] },
})

/** "the most deliveries" counts them. */
function isTableAfterOrder({ noticed, words }: Facts): boolean {
  const orders = new Set('most more fewest least'.split(' '))
  return noticed.tables.some(({ at }) => orders.has(words.words[at - 1] ?? '') || orders.has(words.words[at - 2] ?? ''))
}

/** "The most products" of a department: how many different ones it has. */
function countedAfterOrder({ noticed, words, source, nameOf, group }: Facts): Measure | null {
  const orders = new Set('most more fewest fewer'.split(' '))
  const found = noticed.columns.find(
    ({ item, at }) =>
      item.table === source.table &&
      item.name !== group?.item.name &&
      kindOf(item.column) === 'text' &&
      orders.has(words.words[at - 1] ?? ''),
  )
  if (found === undefined || group === null) return null
  const sql = nameOf(found.item)
  return {
    sql: `count(DISTINCT ${sql})`,
    label: `different values of ${found.item.name}`,
    needs: [sql],
    isCount: true,
  }
}

function columnMeasures({ words, nameOf, group, question }: Facts, ref: ColumnRef): readonly Measure[] {
  const isGrouped = group !== null || words.cycle !== null || words.unit !== null
  // Without groups the highest is a value; with them it is the first of them.
  const isEnd = !isGrouped || isEndOfRows({ question, group, words }, ref)
  const end: Aggregate | null = !isEnd || words.order === null ? null : words.order === 'down' ? 'max' : 'min'
  const isHalved = group !== null && kindOf(group.item.column) === 'yes-no'
  const usual: Aggregate = end ?? (isHalved || words.isCorrelation || isAveraged(ref.name) ? 'average' : 'sum')
  const said = words.aggregates.filter((one) => !isGrouped || words.order === null || (one !== 'min' && one !== 'max'))
  const aggregates = said.length === 0 ? [usual] : said
  return aggregates.map((aggregate) => aggregateOf(aggregate, nameOf(ref), ref.name))
}

const endWords =
  /\b(highest|lowest|largest|smallest|biggest|greatest|most expensive|cheapest|heaviest|lightest|oldest|youngest|longest|shortest|best paid)\b/i

/** "Which employee has the highest salary": one of the rows. What adds up is added up, unless each name has a row. */
function isEndOfRows({ question, group, words }: Pick<Facts, 'question' | 'group' | 'words'>, ref: ColumnRef): boolean {
  if (group === null || words.unit !== null || words.cycle !== null || !endWords.test(question)) return false
  const { column, table } = group.item
  const isName = (column.summary?.distinct ?? 0) >= (table.rowCount ?? Number.POSITIVE_INFINITY) / 2
  return isName || !(isAdded(ref.name) || isRated(ref.name) || kindOf(column) === 'yes-no')
}

const functions = { sum: 'sum', average: 'avg', median: 'median', min: 'min', max: 'max' } as const
const labels = { sum: 'total', average: 'average', median: 'median', min: 'lowest', max: 'highest' } as const

export const aggregateOf = (aggregate: Aggregate, sql: string, name: string): Measure => ({
  sql: `${functions[aggregate]}(${sql})`,
  label: `${labels[aggregate]} ${name}`,
  needs: [sql],
})

function conditionMeasure({ sql, words, needs }: Condition, { isShare }: QuestionWords): Measure {
  return isShare
    ? {
        sql: `100.0 * count(*) FILTER (WHERE ${sql}) / count(*)`,
        label: `percentage of ${words}`,
        needs,
        isPercent: true,
      }
    : { sql: `count(*) FILTER (WHERE ${sql})`, label: words, needs, isCount: true }
}

function durationMeasures({ words, noticed, source, nameOf }: Facts): readonly Measure[] {
  const { table } = source
  const said = noticed.columns
    .filter(({ item }) => kindOf(item.column) === 'date' && item.table === table)
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item.column)
  const pair = durationPair(table, said)
  if (pair === null) return []
  const { sql, unit } = durationSql(pair, (column) => nameOf({ name: column.name, table, column }))
  const needs = [pair.from, pair.to].map((column) => nameOf({ name: column.name, table, column }))
  const name = `${unit} from ${pair.from.name} to ${pair.to.name}`
  const all: readonly Aggregate[] = words.order === null ? ['average', 'median', 'min', 'max'] : ['average']
  return all.map((aggregate) => ({ ...aggregateOf(aggregate, sql, name), needs }))
}

function revenueMeasure({ source: { table }, nameOf }: Facts): Measure | null {
  const parts = revenueParts(table)
  if (parts === null) return null
  const name = (column: KnownColumn) => nameOf({ name: column.name, table, column })
  const off = parts.discount === null ? '' : ` * (1 - coalesce(${name(parts.discount)}, 0))`
  return {
    sql: `sum(${name(parts.quantity)} * ${name(parts.price)}${off})`,
    label: 'revenue',
    needs: [name(parts.quantity), name(parts.price)],
  }
}

export const spoken = (name: string): string => (/^[\w ]+$/.test(name) ? wordsIn(name).join(' ') : name)
