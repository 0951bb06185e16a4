// The calls that answer a reading: what it asks for, and beside it how many rows that stands on.
import { kindOf, likelyGroup, likelyMeasure } from './column-kind.ts'
import type { KnownColumn, KnownTable } from './known-tables.ts'
import { aggregateOf, spoken } from './measures.ts'
import type { Filter, Group, ListTask, Measure, Reading } from './reading.ts'
import { columnText, fromText, quoted, quotedText, type Source } from './sql-parts.ts'

export type StepTool = 'run_query' | 'get_column_stats' | 'get_value_distribution' | 'transform_data'

export interface PlannedCall {
  readonly tool: StepTool
  readonly input: Readonly<Record<string, unknown>>
  /** The columns of the result, where they are known. */
  readonly columns: readonly string[]
}

export interface Plan {
  readonly main: PlannedCall
  /** The same rows counted, and those with a value; or the whole beside the part. */
  readonly context: PlannedCall | null
}

const query = (thought: string, sql: string, columns: readonly string[]): PlannedCall => ({
  ...{ tool: 'run_query', input: { thought, sql }, columns },
})

/** As many as a chart draws. */
export const mostTimes = 5000

export const rowsLabel = 'rows'
export const filledLabel = 'rows with a value'
export const matchedLabel = 'rows with a match'

export function planQueries(reading: Reading): Plan {
  const { source, task, filters } = reading
  const { table } = source
  switch (task.type) {
    case 'rows': {
      const sql = `SELECT count(*) AS ${quoted(rowsLabel)} FROM ${fromText(source)}${where(filters)}`
      const main = query(`How many rows ${table.name} has${saidFilters(filters)}`, sql, [rowsLabel])
      return { main, context: filters.length === 0 ? null : countQuery({ source, filters: [] }, []) }
    }
    case 'list':
      return listPlan(reading, task)
    case 'values': {
      const asked = task.measures.map(({ sql, label }) => `${sql} AS ${quoted(label)}`).join(', ')
      const labels = task.measures.map(({ label }) => label)
      const sql = `SELECT ${asked} FROM ${fromText(source)}${where(filters)}`
      const needs = task.measures[0]?.needs ?? []
      return {
        main: query(`The ${labels.join(' and ')}${saidFilters(filters)}`, sql, labels),
        context: countQuery(reading, needs),
      }
    }
    case 'groups':
      return {
        main: groupQuery(reading, task),
        context: countQuery(reading, task.measure.needs),
      }
    case 'trend': {
      const sql = `${select(task.group, task.measure)} FROM ${fromText(source)}${where(filters)} GROUP BY 1 ORDER BY 1 LIMIT ${mostTimes}`
      const main = query(`The ${task.measure.label} by ${task.unit}${saidFilters(filters)}`, sql, [
        task.group.label,
        task.measure.label,
      ])
      return { main, context: countQuery(reading, task.measure.needs) }
    }
    case 'missing':
      return {
        main: missingQuery(table),
        context: task.time === null ? countQuery(reading, []) : missingOverTime(reading, task.time),
      }
    case 'duplicates':
      return { main: duplicatesQuery(table, task.column), context: null }
    case 'distribution':
      return distributionPlan(table, task)
    case 'correlation':
      return correlationPlan(table, task)
    case 'overview':
      return overviewPlan(source)
  }
}

function groupQuery(reading: Pick<Reading, 'source' | 'filters'>, task: GroupTask): PlannedCall {
  const { group, measure, order, limit } = task
  const by = order === 'own' ? (group.order ?? '1') : `2 ${order === 'down' ? 'DESC' : 'ASC'} NULLS LAST, 1`
  const { source, filters } = reading
  const sql = `${select(group, measure)} FROM ${fromText(source)}${where(filters)} GROUP BY 1 ORDER BY ${by} LIMIT ${limit}`
  return query(`The ${measure.label} for each ${group.label}${saidFilters(filters)}`, sql, [group.label, measure.label])
}

/** The rows, and beside them what may be told of them without showing one. */
function listPlan({ source, filters }: Pick<Reading, 'source' | 'filters'>, { order, from, limit }: ListTask): Plan {
  const { table } = source
  const columns = table.columns.slice(0, 100)
  const names = columns.map(({ name }) => name)
  const rest = `FROM ${fromText(source)}${where(filters)}`
  const nameOf = (column: KnownColumn) => columnText(source, table, column)
  const by =
    order === null
      ? ''
      : ` ORDER BY ${nameOf(order.ref.column)} ${order.direction === 'down' ? 'DESC' : 'ASC'} NULLS LAST`
  const skipped = from === 'last' ? ` OFFSET (SELECT greatest(count(*) - ${limit}, 0) ${rest})` : ''
  const sql = `SELECT ${columns.map(nameOf).join(', ')} ${rest}${by} LIMIT ${limit}${skipped}`
  const along = order === null ? '' : ` by ${order.ref.name}`
  const end = order === null ? null : endOf(order, nameOf(order.ref.column))
  const asked = [`count(*) AS ${quoted(rowsLabel)}`, ...(end === null ? [] : [`${end.sql} AS ${quoted(end.label)}`])]
  const labels = [rowsLabel, ...(end === null ? [] : [end.label])]
  return {
    main: query(`Single rows of ${table.name}${along}${saidFilters(filters)}`, sql, names),
    context: query(`How many rows that is${saidFilters(filters)}`, `SELECT ${asked.join(', ')} ${rest}`, labels),
  }
}

function endOf({ ref, direction }: NonNullable<ListTask['order']>, sql: string): Measure {
  const measure = aggregateOf(direction === 'down' ? 'max' : 'min', sql, ref.name)
  const isDate = kindOf(ref.column) === 'date'
  return isDate ? { ...measure, label: `${direction === 'down' ? 'last' : 'first'} ${ref.name}` } : measure
}

interface GroupTask {
  readonly group: Group
  readonly measure: Measure
  readonly order: 'down' | 'up' | 'own'
  readonly limit: number
}

/** The first of the groups again, by other columns. */
export function reasonQueries(reading: Reading, first: string): readonly PlannedCall[] {
  const { task } = reading
  if (task.type !== 'groups') return []
  const only = { sql: `${task.group.sql} = ${quotedText(first)}`, words: `in ${first}` }
  return task.reasons.map((group) =>
    groupQuery({ ...reading, filters: [...reading.filters, only] }, { ...task, group, order: 'down', limit: 10 }),
  )
}

/** What SQL does as well, done once in the sandbox: the person can see and change the code. */
export function runningTotalCall(label: string, measure: string, sourceStep: number): PlannedCall {
  const name = `running total of ${measure}`
  const [unit, value, total] = [label, measure, name].map((text) => JSON.stringify(text))
  const code = `let sum = 0\nreturn data.map((row) => ({ [${unit}]: row[${unit}], [${total}]: (sum += Number(row[${value}] ?? 0)) }))`
  return { tool: 'transform_data', input: { thought: `The ${name}`, code, sourceStep }, columns: [label, name] }
}

/** Of a step too long to be seen whole: its ends by time and by size, in this order. */
export function endsQuery({ step, columns: [time = '', value = ''] }: SeenStep): PlannedCall {
  const [at, of, from] = [quoted(time), quoted(value), `"step_${step}"`]
  const orders = [`${at} ASC`, `${at} DESC`, `${of} DESC`, `${of} ASC`]
  const parts = orders.map(
    (order, index) =>
      `(SELECT ${index} AS "end", ${at}, ${of} FROM ${from} WHERE ${at} IS NOT NULL AND ${of} IS NOT NULL ORDER BY ${order} LIMIT 1)`,
  )
  const sql = `SELECT ${at}, ${of} FROM (${parts.join(' UNION ALL ')}) ORDER BY "end"`
  return query(`The first, last, highest and lowest ${value}`, sql, [time, value])
}

interface SeenStep {
  readonly step: number
  readonly columns: readonly string[]
}

const select = (group: Group, measure: Measure): string =>
  `SELECT ${group.sql === quoted(group.label) ? group.sql : `${group.sql} AS ${quoted(group.label)}`}, ${measure.sql} AS ${quoted(measure.label)}`

const where = (filters: readonly Filter[]): string =>
  filters.length === 0 ? '' : ` WHERE ${filters.map(({ sql }) => sql).join(' AND ')}`

export const saidFilters = (filters: readonly Filter[]): string => filters.map(({ words }) => `, ${words}`).join('')

function countQuery({ source, filters }: Pick<Reading, 'source' | 'filters'>, needs: readonly string[]): PlannedCall {
  const { join } = source
  const filled =
    needs.length === 1
      ? `count(${needs[0]})`
      : `count(*) FILTER (WHERE ${needs.map((one) => `${one} IS NOT NULL`).join(' AND ')})`
  const columns: readonly (readonly [string, string])[] = [
    ['count(*)', rowsLabel],
    ...(needs.length === 0 ? [] : [[filled, filledLabel] as const]),
    ...(join === null ? [] : [[`count(b.${quoted(join.to.name)})`, matchedLabel] as const]),
  ]
  const asked = columns.map(([sql, label]) => `${sql} AS ${quoted(label)}`).join(', ')
  const sql = `SELECT ${asked} FROM ${fromText(source, 'LEFT JOIN')}${where(filters)}`
  return query(
    `How many rows that is${saidFilters(filters)}`,
    sql,
    columns.map(([, label]) => label),
  )
}

function missingQuery({ name, columns }: KnownTable): PlannedCall {
  const parts = columns.slice(0, 40).map((column) => {
    const missing = `count(*) - count(${quoted(column.name)})`
    const percent = `round(100.0 * (${missing}) / greatest(count(*), 1), 1)`
    return `SELECT ${quotedText(column.name)} AS "column", ${missing} AS "missing", ${percent} AS "percent" FROM ${quoted(name)}`
  })
  return query(`Where values are missing in ${name}`, `${parts.join(' UNION ALL ')} ORDER BY 2 DESC, 1`, [
    'column',
    'missing',
    'percent',
  ])
}

function missingOverTime(
  { source }: Reading,
  { group, column }: { readonly group: Group; readonly column: string },
): PlannedCall {
  const label = `missing ${column}`
  const measure = { sql: `count(*) FILTER (WHERE ${quoted(column)} IS NULL)`, label, needs: [] }
  const sql = `${select(group, measure)} FROM ${fromText(source)} GROUP BY 1 ORDER BY 1 LIMIT ${mostTimes}`
  return query(`When ${column} is missing`, sql, [group.label, label])
}

function duplicatesQuery({ name, columns }: KnownTable, column: KnownColumn | null): PlannedCall {
  const names = (column === null ? columns : [column]).map((one) => quoted(one.name)).join(', ')
  const label = column === null ? 'duplicate rows' : `repeated ${column.name}`
  const distinct = column === null ? `hash(${names})` : names
  const counted = column === null ? 'count(*)' : `count(${names})`
  const sql = `SELECT count(*) AS ${quoted(rowsLabel)}, ${counted} - count(DISTINCT ${distinct}) AS ${quoted(label)} FROM ${quoted(name)}`
  return query(`What is there more than once in ${name}`, sql, [rowsLabel, label])
}

function distributionPlan(
  table: KnownTable,
  { column, by }: { readonly column: KnownColumn; readonly by: 'values' | 'parts' },
): Plan {
  const input = { column: column.name, table: table.name }
  if (by === 'values') {
    return {
      main: {
        tool: 'get_value_distribution',
        input: { thought: `The most frequent values of ${column.name}`, ...input, limit: 20 },
        columns: ['value', 'count', 'percent'],
      },
      context: countQuery({ source: { table, join: null }, filters: [] }, [quoted(column.name)]),
    }
  }
  const x = quoted(column.name)
  const label = `${column.name} from`
  const width = 'nullif((hi - lo) / 12.0, 0)'
  const bin = `coalesce(least(11, floor((${x} - lo) / ${width})), 0)`
  const range = `(SELECT min(${x}) AS lo, max(${x}) AS hi FROM ${quoted(table.name)})`
  const sql = `SELECT round(lo + ${bin} * coalesce(${width}, 0), 4) AS ${quoted(label)}, count(*) AS ${quoted(rowsLabel)} FROM ${quoted(table.name)}, ${range} WHERE ${x} IS NOT NULL GROUP BY 1 ORDER BY 1`
  return {
    main: query(`How ${column.name} is spread`, sql, [label, rowsLabel]),
    context: { tool: 'get_column_stats', input: { thought: `The range of ${column.name}`, ...input }, columns: [] },
  }
}

function correlationPlan({ name }: KnownTable, { x, y }: { readonly x: KnownColumn; readonly y: KnownColumn }): Plan {
  const [one, other, from] = [quoted(x.name), quoted(y.name), quoted(name)]
  const pairs = `count(*) FILTER (WHERE ${one} IS NOT NULL AND ${other} IS NOT NULL)`
  const asked = `SELECT corr(${other}, ${one}) AS "correlation", ${pairs} AS "pairs" FROM ${from}`
  const parts = `SELECT ${one} AS x, ${other} AS y, ntile(20) OVER (ORDER BY ${one}) AS part FROM ${from} WHERE ${one} IS NOT NULL AND ${other} IS NOT NULL`
  const labels = [`average ${x.name}`, `average ${y.name}`]
  const drawn = `SELECT avg(x) AS ${quoted(labels[0] ?? '')}, avg(y) AS ${quoted(labels[1] ?? '')} FROM (${parts}) GROUP BY part ORDER BY 1`
  return {
    main: query(`Whether ${y.name} goes with ${x.name}`, asked, ['correlation', 'pairs']),
    context: query(`${y.name} along ${x.name}, in twenty parts`, drawn, labels),
  }
}

/** Something about any table: how much there is, and what stands out. */
function overviewPlan(source: Source): Plan {
  const { table } = source
  const whole = { source, filters: [] }
  const [group, value] = [likelyGroup(table.columns), likelyMeasure(table.columns)]
  const measure = value === undefined ? null : aggregateOf('sum', quoted(value.name), value.name)
  if (group !== undefined) {
    const counted = measure ?? { sql: 'count(*)', label: `number of ${spoken(table.name)}`, needs: [] }
    const by = { sql: quoted(group.name), label: group.name }
    const main = groupQuery(whole, { group: by, measure: counted, order: 'down', limit: 20 })
    return { main, context: countQuery(whole, counted.needs) }
  }
  if (value === undefined) return { main: missingQuery(table), context: countQuery(whole, []) }
  const all = (['average', 'min', 'max'] as const).map((one) => aggregateOf(one, quoted(value.name), value.name))
  const asked = all.map(({ sql, label }) => `${sql} AS ${quoted(label)}`).join(', ')
  const labels = all.map(({ label }) => label)
  return {
    main: query(`The range of ${value.name}`, `SELECT ${asked} FROM ${quoted(table.name)}`, labels),
    context: countQuery(whole, [quoted(value.name)]),
  }
}
