// Pieces of SQL over one table, or over two that are joined.
import { wordsIn } from '../../words.ts'
import { kindOf } from './column-kind.ts'
import type { KnownColumn, KnownTable } from './known-tables.ts'
import type { TimeUnit } from './question-words.ts'

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`

export interface JoinKey {
  readonly table: KnownTable
  /** Of the table that is asked about. */
  readonly from: KnownColumn
  readonly to: KnownColumn
}

/** What stands behind FROM, and how columns are named there. */
export interface Source {
  readonly table: KnownTable
  readonly join: JoinKey | null
}

export function fromText({ table, join }: Source, how: 'JOIN' | 'LEFT JOIN' = 'JOIN'): string {
  if (join === null) return quoted(table.name)
  const on = `a.${quoted(join.from.name)} = b.${quoted(join.to.name)}`
  return `${quoted(table.name)} AS a ${how} ${quoted(join.table.name)} AS b ON ${on}`
}

export function columnText(source: Source, table: KnownTable, column: KnownColumn): string {
  if (source.join === null) return quoted(column.name)
  return `${table === source.join.table ? 'b' : 'a'}.${quoted(column.name)}`
}

/** A moment that DuckDB can cut without knowing time zones. */
const plainTime = (sql: string, { type }: KnownColumn): string =>
  /TZ|TIME ZONE/i.test(type) ? `${sql}::TIMESTAMP` : sql

export function truncated(sql: string, column: KnownColumn, unit: TimeUnit): string {
  const cut = `date_trunc('${unit}', ${plainTime(sql, column)})`
  return unit === 'hour' ? cut : `${cut}::DATE`
}

export const dateField = (sql: string, column: KnownColumn, field: string): string =>
  `${field}(${plainTime(sql, column)})`

/** Fits the range that is known; months where none is. */
export function fittingUnit({ summary }: KnownColumn): TimeUnit {
  const [from, to] = [Date.parse(String(summary?.min)), Date.parse(String(summary?.max))]
  const days = (to - from) / 86_400_000
  if (Number.isNaN(days)) return 'month'
  if (days <= 3) return 'hour'
  if (days <= 45) return 'day'
  if (days <= 150) return 'week'
  return days <= 366 * 6 ? 'month' : 'year'
}

/** By their names: `depot_id` and `depots.id`, or the same name on both sides. */
export function joinKey(table: KnownTable, other: KnownTable): JoinKey | null {
  const found = table.columns.flatMap((from) =>
    other.columns.flatMap((to) => {
      if (kindOf(from) !== kindOf(to) || kindOf(from) === 'other' || kindOf(from) === 'yes-no') return []
      const score = likeness(wordsIn(from.name), wordsIn(to.name), wordsIn(other.name))
      return score === 0 ? [] : [{ table: other, from, to, score }]
    }),
  )
  const [best] = found.sort((one, two) => two.score - one.score)
  return best === undefined ? null : { table: best.table, from: best.from, to: best.to }
}

/** Summaries count what is different only roughly. */
const roughly = 0.8

/** Whether each row of the one side finds one row at most. Told by the counts, else by the name: `depots.depot_id`. */
export function isOneForEach({ table, to }: JoinKey): boolean {
  const { distinct, nullShare = 0 } = to.summary ?? {}
  if (distinct !== undefined && table.rowCount !== undefined) {
    return distinct >= roughly * table.rowCount * (1 - nullShare)
  }
  const words = wordsIn(to.name).map(single)
  const owner = wordsIn(table.name).map(single)
  const mark = words.at(-1) ?? ''
  const own = words.slice(0, -1).join(' ')
  return marks.has(mark) && (own === '' || own === owner.join(' ') || own === owner.at(-1))
}

const marks = new Set(['id', 'key', 'code', 'nr', 'no', 'number', 'uuid', 'sku', 'name'])
const single = (word: string): string => word.replace(/ies$/, 'y').replace(/(?:([sxz]|[cs]h)es|([^su])s)$/, '$1$2')

function likeness(from: readonly string[], to: readonly string[], other: readonly string[]): number {
  const [one, two] = [from.map(single).join(' '), to.map(single).join(' ')]
  const owner = other.map(single)
  const mark = to.at(-1) ?? ''
  if (to.length === 1 && marks.has(mark)) {
    if (one === `${owner.join(' ')} ${mark}` || one === `${owner.at(-1)} ${mark}`) return 4
    if (one === owner.join(' ')) return 2
  }
  if (one !== two || one === 'id' || one === 'name') return 0
  return marks.has(mark) ? 3 : 1
}
