// Which task a question is, from the most particular to the most general.
import { groupRank, isGroup, isMeasure, kindOf } from './column-kind.ts'
import { type Facts, groupOf } from './facts.ts'
import type { Condition } from './measures.ts'
import { aggregateOf, countMeasure } from './measures.ts'
import type { Filter, Group, Measure, Task } from './reading.ts'
import { listTask } from './row-list.ts'
import { dateField, fittingUnit, truncated } from './sql-parts.ts'

export interface TaskFacts extends Facts {
  readonly condition: Condition | null
  readonly measures: readonly Measure[]
  readonly filters: readonly Filter[]
}

type Chosen = { readonly task: Task; readonly filters: readonly Filter[] }

export function chooseTask(facts: TaskFacts): Chosen {
  const { words, filters } = facts
  const whole = (task: Task): Chosen => ({ task, filters })
  const list = listTask(facts)
  if (list !== null) return { task: list.task, filters: [...filters, ...list.filters] }
  const particular = checkTask(facts)
  if (particular !== null) return whole(particular)
  const share = shareOfFilter(facts)
  if (share !== null) return share
  const [measure = countMeasure(facts)] = facts.measures
  const group = cycleGroup(facts) ?? (facts.group === null ? null : groupOf(facts.group, facts.nameOf))
  const isTrend = (words.isTrend || words.isRunningTotal) && facts.date !== null && words.cycle === null
  if (isTrend && (words.unit !== null || group === null)) {
    return whole(words.limit === null ? trendTask(facts, measure) : bestTimes(facts, measure))
  }
  if (group !== null) {
    const usual = words.end === 'last' ? 'up' : 'down'
    const order = words.cycle !== null && words.order === null ? 'own' : (words.order ?? usual)
    return whole({
      type: 'groups',
      group,
      measure,
      order,
      limit: words.limit ?? (words.cycle === null ? 20 : 31),
      reasons: reasonsFor(facts, group),
    })
  }
  if (facts.measures.length > 0) return whole({ type: 'values', measures: facts.measures })
  const dates = dateEnds(facts)
  if (dates.length > 0) return whole({ type: 'values', measures: dates })
  if (words.isCount || filters.length > 0) return whole({ type: 'rows' })
  return whole({ type: 'overview' })
}

/** Those that ask about the table rather than about what it tells. */
function checkTask(facts: TaskFacts): Task | null {
  const { words, noticed, source, date, nameOf, group } = facts
  const own = noticed.columns.filter(({ item }) => item.table === source.table)
  if (words.isDuplicate)
    return {
      type: 'duplicates',
      column: own.find(({ item, score }) => score >= 2 && !isMeasure(item.column))?.item.column ?? null,
    }
  if (words.isMissing) {
    const column = own.find(({ score, item }) => score >= 2 && item !== date)?.item.column ?? mostMissing(facts)
    const isTimed = (words.isWhen || words.isTrend) && date !== null && column !== undefined && column !== date.column
    if (!isTimed) return { type: 'missing', time: null }
    const unit = words.unit ?? fittingUnit(date.column)
    return {
      type: 'missing',
      time: { group: { sql: truncated(nameOf(date), date.column, unit), label: unit }, column: column.name },
    }
  }
  const numbers = own.filter(({ item }) => isMeasure(item.column))
  const [first, second] = [...numbers].sort((one, other) => one.at - other.at)
  if (words.isCorrelation && first !== undefined && second !== undefined) {
    return { type: 'correlation', x: second.item.column, y: first.item.column }
  }
  const asked = own.find(({ item }) => kindOf(item.column) !== 'other')
  const counted = countedColumn(facts)
  const target = words.isDistinct ? (counted ?? asked) : counted
  if (target !== undefined) {
    const sql = nameOf(target.item)
    const label = `different values of ${target.item.name}`
    const distinct = { sql: `count(DISTINCT ${sql})`, label, needs: [sql], isCount: true }
    const by = group !== null && group.item !== target.item && group.isGroup ? group : null
    return by === null
      ? { type: 'values', measures: [distinct] }
      : {
          type: 'groups',
          group: groupOf(by, nameOf),
          measure: distinct,
          order: words.order ?? 'down',
          limit: words.limit ?? 20,
          reasons: [],
        }
  }
  const shown = numbers[0] ?? asked
  if (words.isDistribution && shown !== undefined && kindOf(shown.item.column) !== 'date') {
    const { column } = shown.item
    const isNamedValue = /most (?:common|frequent)/i.test(facts.question) || (column.summary?.distinct ?? 1000) <= 20
    return { type: 'distribution', column, by: kindOf(column) !== 'number' || isNamedValue ? 'values' : 'parts' }
  }
  return null
}

/** "How many products are there": those of a column, where no table is meant. */
function countedColumn({ words, noticed, source }: TaskFacts) {
  const at = words.words.findIndex((word, index) => word === 'many' && words.words[index - 1] === 'how')
  if (at < 0 || noticed.tables.length > 0) return undefined
  const first = words.words[at + 1] ?? ''
  const spokenAt = first === 'different' || first === 'distinct' || first === 'unique' ? at + 2 : at + 1
  return noticed.columns.find(
    ({ item, at: place }) =>
      item.table === source.table &&
      kindOf(item.column) === 'text' &&
      (place === spokenAt || isSynonym(words, spokenAt, place)),
  )
}

/** Synonyms stand behind the question's own words. */
const isSynonym = ({ words }: TaskFacts['words'], spokenAt: number, place: number): boolean =>
  place >= words.length && /^(customer|client|buyer)/.test(words[spokenAt] ?? '')

function mostMissing({ source: { table } }: TaskFacts) {
  const share = (summary: { nullShare?: number | undefined } | undefined) => summary?.nullShare ?? 0
  const [first] = [...table.columns].sort((one, other) => share(other.summary) - share(one.summary))
  return first !== undefined && share(first.summary) > 0 ? first : table.columns.find(isMeasure)
}

/** "What share of orders is from DE": the value is what is counted, not what is left. */
function shareOfFilter({ words, filters, group, condition, measure }: TaskFacts): Chosen | null {
  const [filter] = filters
  if (!words.isShare || filter === undefined || group?.isGroup === true || condition !== null || measure !== null)
    return null
  if (words.unit !== null) return null
  const sql = `100.0 * count(*) FILTER (WHERE ${filter.sql}) / count(*)`
  const share: Measure = { sql, label: `percentage ${filter.words}`, needs: [], isPercent: true }
  const count: Measure = {
    sql: `count(*) FILTER (WHERE ${filter.sql})`,
    label: `rows ${filter.words}`,
    needs: [],
    isCount: true,
  }
  return { task: { type: 'values', measures: [share, count] }, filters: filters.slice(1) }
}

function trendTask({ words, date, nameOf }: TaskFacts, measure: Measure): Task {
  if (date === null) return { type: 'overview' }
  const unit = words.unit ?? fittingUnit(date.column)
  const group = { sql: truncated(nameOf(date), date.column, unit), label: unit }
  return { type: 'trend', group, unit, measure, isRunningTotal: words.isRunningTotal, order: words.order }
}

/** "The three best months": a few times, ordered by what they have. */
function bestTimes(facts: TaskFacts, measure: Measure): Task {
  const task = trendTask(facts, measure)
  const { order, limit } = facts.words
  if (task.type !== 'trend' || task.isRunningTotal || order === null || limit === null) return task
  return { type: 'groups', group: { ...task.group, unit: task.unit }, measure, order, limit, reasons: [] }
}

function cycleGroup({ words, date, nameOf }: TaskFacts): Group | null {
  if (words.cycle === null || date === null) return null
  const field = (name: string) => dateField(nameOf(date), date.column, name)
  return words.cycle === 'hour'
    ? { sql: field('hour'), label: 'hour of the day', order: '1' }
    : { sql: field('dayname'), label: 'weekday', order: `min(${field('isodow')})` }
}

/** Two other ways to look at the same rows, for "why". */
function reasonsFor({ words, source: { table }, nameOf }: TaskFacts, group: Group): readonly Group[] {
  if (!words.isWhy) return []
  return table.columns
    .filter((column) => isGroup(column) && column.name !== group.label && groupRank(column) < 3)
    .sort((one, other) => groupRank(one) - groupRank(other))
    .slice(0, 2)
    .map((column) => ({ sql: nameOf({ name: column.name, table, column }), label: column.name }))
}

/** "When was the first order": the ends of a time. */
function dateEnds({ words, date, nameOf }: TaskFacts): readonly Measure[] {
  if (date === null) return []
  const ends = words.aggregates.filter((one) => one === 'min' || one === 'max')
  const asked = ends.length > 0 ? ends : words.isWhen ? (['min', 'max'] as const) : []
  return asked.map((end) => ({
    ...aggregateOf(end, nameOf(date), date.name),
    label: `${end === 'min' ? 'first' : 'last'} ${date.name}`,
  }))
}
