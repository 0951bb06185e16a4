// The description of the tables that the model gets before the first question, by level.
import type { AnalyzedTable, ColumnSummary, PrivacyLevel } from '@quarterdeck/protocol'
import { type Column, kindOf, quoteName, type Rows } from '../domain/cells.ts'
import { commonCount, disclosureOf } from '../domain/disclosure.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import type { QueryEngine, QueryOptions } from '../domain/query-engine.ts'
import { withoutValues } from './mask-names.ts'
import { bytesOf, sentCell } from './result-for-model.ts'

export type DescribedTable = Pick<ImportedTable, 'name' | 'rowCount' | 'columns' | 'neverSent'>

type Scalar = NonNullable<ColumnSummary['top']>[number]['value']

/** Reads with the rights of the model: locked columns are neither read nor named. */
export async function describeTables(
  engine: Pick<QueryEngine, 'read'>,
  tables: readonly DescribedTable[],
  { level, signal }: { readonly level: PrivacyLevel; readonly signal?: AbortSignal },
): Promise<AnalyzedTable[]> {
  const { hasSummaries, sampleRows } = disclosureOf(level)
  const read = createReader(engine, signal)
  const described: AnalyzedTable[] = []
  for (const table of tables) {
    const columns = table.columns.filter(({ name }) => !table.neverSent.includes(name))
    const { name, rowCount } = table
    const summaries = hasSummaries && rowCount > 0 ? await summarize({ ...table, columns }, read) : new Map()
    const shown = columns.slice(0, columnLimit).map((column) => {
      const summary: ColumnSummary | undefined = summaries.get(column.name)
      return { name: column.name, type: withoutValues(column.type), ...(summary === undefined ? {} : { summary }) }
    })
    const sample = sampleRows > 0 && rowCount > 0 ? await sampleOf({ ...table, columns }, sampleRows, read) : []
    described.push({ name, rowCount, columns: shown, ...(sample.length === 0 ? {} : { sample }) })
  }
  return described
}

/** The limit of the API, more than a model reads. */
const columnLimit = 2000
/** In a very wide table only the first columns have summaries. */
const summaryLimit = 100
const topCount = 5

/** A column that fails to read gets no summary, so that it does not block the question. */
type Reader = (sql: string, maxRows: number) => Promise<Rows>

function createReader(engine: Pick<QueryEngine, 'read'>, signal: AbortSignal | undefined): Reader {
  const options: Omit<QueryOptions, 'maxRows'> = { author: 'model', timeoutMs: 30_000, signal }
  return async (sql, maxRows) => {
    try {
      return await engine.read(sql, { ...options, maxRows })
    } catch (error) {
      if (signal?.aborted === true) throw error
      return { columns: [], rows: [] }
    }
  }
}

async function summarize(table: DescribedTable, read: Reader): Promise<Map<string, ColumnSummary>> {
  const columns = table.columns.slice(0, summaryLimit)
  const summaries = new Map<string, ColumnSummary>()
  for (let from = 0; from < columns.length; from += 20) {
    const some = columns.slice(from, from + 20)
    const row = (await read(summarySql(table, some), 1)).rows[0] ?? []
    for (const [index, column] of some.entries()) {
      const facts = row.slice(index * factCount, (index + 1) * factCount).map(sentCell)
      if (facts.length === factCount) summaries.set(column.name, summaryOf(column, facts, table.rowCount))
    }
  }
  for (const column of columns) {
    const summary = summaries.get(column.name)
    if (summary === undefined || !hasFrequent(column, summary, table.rowCount)) continue
    const top = await read(topSql(table.name, column.name), topCount)
    const frequent = top.rows.map(([value = null, count]) => ({ value: sentCell(value), count: Number(count) }))
    if (frequent.length > 0) summaries.set(column.name, { ...summary, top: frequent })
  }
  return summaries
}

const factCount = 7

/** Up to this size different values are counted exactly, as in the profile. Counting more would delay the question. */
const exactDistinctRows = 200_000

/** Ranges and quartiles only for numbers and dates of five rows or more: fewer could identify a person. */
function summarySql({ name: table, rowCount }: DescribedTable, columns: readonly Column[]): string {
  const count = rowCount <= exactDistinctRows ? (name: string) => `count(DISTINCT ${name})` : estimate
  const facts = columns.flatMap((column) => {
    const name = quoteName(column.name)
    const kind = rowCount < commonCount ? 'few' : kindOf(column)
    const ranged = kind === 'number' || kind === 'date' ? [`min(${name})`, `max(${name})`] : ['NULL', 'NULL']
    const quarters = [0.25, 0.5, 0.75].map((share) =>
      kind === 'number' ? `approx_quantile(CAST(${name} AS DOUBLE), ${share})` : 'NULL',
    )
    return [`count(${name})`, kindOf(column) === 'other' ? 'NULL' : count(name), ...ranged, ...quarters]
  })
  return `SELECT ${facts.map((fact, index) => `${fact} AS f${index}`).join(', ')} FROM ${quoteName(table)}`
}

const estimate = (name: string): string => `approx_count_distinct(${name})`

function summaryOf(column: Column, facts: readonly Scalar[], rowCount: number): ColumnSummary {
  const [filled = 0, distinct, min, max, ...quartiles] = facts
  const isRanged = min !== null && min !== undefined && max !== null && max !== undefined
  return {
    nullShare: rounded(Math.min(1, Math.max(0, 1 - Number(filled) / rowCount))),
    ...(typeof distinct === 'number' ? { distinct: Math.min(distinct, Number(filled)) } : {}),
    ...(typeof distinct === 'number' && rowCount > exactDistinctRows ? { isDistinctApproximate: true } : {}),
    ...(isRanged ? { min, max } : {}),
    ...(kindOf(column) === 'number' && quartiles.every((one) => typeof one === 'number')
      ? { quartiles: quartiles.map((one) => rounded(Number(one))) }
      : {}),
  }
}

/** Four digits are enough for a share or an estimate. */
const rounded = (value: number): number => Number(value.toPrecision(4))

/** If most values are unique, there are no frequent values. */
function hasFrequent(column: Column, { distinct }: ColumnSummary, rowCount: number): boolean {
  const kind = kindOf(column)
  if (kind === 'yes-no') return true
  return kind === 'text' && distinct !== undefined && distinct <= Math.max(20, rowCount / commonCount)
}

const topSql = (table: string, column: string): string => {
  const name = quoteName(column)
  const groups = `SELECT ${name} AS value, count(*) AS n FROM ${quoteName(table)} WHERE ${name} IS NOT NULL GROUP BY 1`
  return `${groups} HAVING count(*) >= ${commonCount} ORDER BY n DESC, value LIMIT ${topCount}`
}

/** Five rows stay below the limit of a result. */
const rowBytes = 3000

async function sampleOf(
  table: DescribedTable,
  count: number,
  read: Reader,
): Promise<Readonly<Record<string, Scalar>>[]> {
  const names = table.columns.slice(0, summaryLimit).map(({ name }) => quoteName(name))
  if (names.length === 0) return []
  const { columns, rows } = await read(`SELECT ${names.join(', ')} FROM ${quoteName(table.name)} LIMIT ${count}`, count)
  return rows.map((row) => {
    let bytesLeft = rowBytes
    const cells = columns.map(({ name }, index) => [name, sentCell(row[index] ?? null)] as const)
    const fitting = cells.filter((cell) => {
      bytesLeft -= bytesOf(cell)
      return bytesLeft >= 0
    })
    return Object.fromEntries(fitting)
  })
}
