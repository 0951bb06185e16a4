// Counts, range and quartiles of several columns in one query, and a second query for columns that may be unique.
import { type Cell, type Column, type ColumnKind, kindOf, quoteName } from '../domain/cells.ts'
import type { ColumnProfile } from '../domain/table-profile.ts'
import type { AskTable } from './ask-table.ts'

export interface ColumnFacts
  extends Pick<ColumnProfile, 'column' | 'kind' | 'nulls' | 'distinct' | 'isUnique' | 'range' | 'quantiles'> {
  readonly count: number
  /** For numbers and dates: the range of the bins, dates as milliseconds. */
  readonly span: { readonly min: number; readonly max: number } | null
  readonly isWhole: boolean
  /** The number of different values is an estimate. */
  readonly isEstimated: boolean
  /** The quartiles are of a sample. */
  readonly isSampled: boolean
}

/** Up to this size every value is read. Beyond, different values are estimated and quartiles sampled. */
const exactDistinctRows = 200_000
const exactQuartileRows = 3_000_000
const sampleRows = 500_000

export async function columnFacts(ask: AskTable, columns: readonly Column[]): Promise<readonly ColumnFacts[]> {
  const { rowCount } = ask.table
  const isExact = rowCount <= exactDistinctRows
  const basics = await ask.values(columns.flatMap((column) => basicsOf(column, isExact)))
  const quartiles = await quartilesOf(ask, columns)
  const found = columns.map((column, index) => {
    const [count, distinct, min, max, least, most, mean] = basics.slice(index * width, (index + 1) * width)
    const kind = kindOf(column)
    const present = Number(count ?? 0)
    const span =
      isMeasured(kind) && typeof least === 'number' && typeof most === 'number' ? { min: least, max: most } : null
    const quarters = quartiles.get(column.name)
    const isDay = column.type.toUpperCase() === 'DATE'
    const asCell = (value: number | null | undefined): Cell =>
      value === null || value === undefined ? null : kind === 'date' ? isoOf(value, isDay) : value
    return {
      column,
      kind,
      count: present,
      nulls: rowCount - present,
      span,
      distinct: Math.min(Number(distinct ?? 0), present),
      isUnique: false,
      isWhole: kind === 'number' && /INT/i.test(column.type),
      isEstimated: !isExact && isCounted(kind),
      isSampled: span !== null && rowCount > exactQuartileRows,
      range: isMeasured(kind) && present > 0 ? { min: min ?? null, max: max ?? null } : null,
      quantiles:
        span === null || quarters === undefined
          ? null
          : {
              q25: asCell(quarters[0]),
              median: asCell(quarters[1]),
              q75: asCell(quarters[2]),
              mean: asCell(typeof mean === 'number' ? mean : null),
            },
    }
  })
  return withUniqueness(ask, found)
}

const width = 7

const isMeasured = (kind: ColumnKind): boolean => kind === 'number' || kind === 'date'
/** Distinct lists and bytes are not counted: that is expensive and says little. */
const isCounted = (kind: ColumnKind): boolean => kind !== 'other'

function basicsOf(column: Column, isExact: boolean): readonly string[] {
  const name = quoteName(column.name)
  const kind = kindOf(column)
  const distinct = isExact ? `count(DISTINCT ${name})` : `approx_count_distinct(${name})`
  const head = [`count(${name})`, isCounted(kind) ? distinct : 'NULL']
  if (!isMeasured(kind)) return [...head, ...Array.from({ length: width - 2 }, () => 'NULL')]
  const value = finite(column)
  const number = asNumber(column)
  return [...head, `min(${value})`, `max(${value})`, `min(${number})`, `max(${number})`, `avg(${number})`]
}

/** Infinity and NaN have no position on an axis. */
function finite(column: Column): string {
  const name = quoteName(column.name)
  return /^(DOUBLE|FLOAT|REAL)/i.test(column.type) ? `CASE WHEN isfinite(${name}) THEN ${name} END` : name
}

/** As DOUBLE; timestamps as milliseconds since 1970. */
export function asNumber(column: Column): string {
  if (kindOf(column) === 'number') return `(${finite(column)})::DOUBLE`
  return `epoch_ms(CASE WHEN isfinite(${quoteName(column.name)}) THEN ${quoteName(column.name)} END::TIMESTAMP)::DOUBLE`
}

async function quartilesOf(
  { table, from, rows }: AskTable,
  columns: readonly Column[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const measured = columns.filter((column) => isMeasured(kindOf(column)))
  if (measured.length === 0) return new Map()
  const asked = measured.map((column, at) => `quantile_cont(${asNumber(column)}, [0.25, 0.5, 0.75]) AS q${at}`)
  const sample = table.rowCount > exactQuartileRows ? ` USING SAMPLE ${sampleRows} ROWS (reservoir, 1)` : ''
  const [row = []] = await rows(`SELECT ${asked.join(', ')} FROM ${from}${sample}`)
  return new Map(measured.map(({ name }, at) => [name, numbersIn(row[at])]))
}

/** Lists are returned as text: `[1, 2.5, 4]`. */
const numbersIn = (cell: Cell | undefined): readonly number[] =>
  typeof cell === 'string' ? (cell.match(/-?\d[\d.]*(?:e[+-]?\d+)?/gi) ?? []).map(Number) : []

/** An estimate cannot distinguish a key from a column with two equal values, so candidates are counted exactly. */
async function withUniqueness(ask: AskTable, facts: readonly ColumnFacts[]): Promise<readonly ColumnFacts[]> {
  const doubtful = facts.filter(({ isEstimated, distinct, count }) => isEstimated && distinct > count * 0.85)
  const counted = await ask.values(doubtful.map(({ column }) => `count(DISTINCT ${quoteName(column.name)})`))
  const exact = new Map(doubtful.map(({ column }, index) => [column.name, Number(counted[index] ?? 0)]))
  return facts.map((one) => {
    const distinct = exact.get(one.column.name) ?? one.distinct
    const isEstimated = one.isEstimated && !exact.has(one.column.name) && distinct > 100
    return { ...one, distinct, isEstimated, isUnique: one.count > 0 && !isEstimated && distinct === one.count }
  })
}

export function isoOf(milliseconds: number, isDay: boolean): string {
  const date = new Date(Math.round(milliseconds))
  if (Number.isNaN(date.getTime())) return String(milliseconds)
  const text = date.toISOString()
  return isDay ? text.slice(0, 10) : text.replace(/\.000Z$|Z$/, '')
}
