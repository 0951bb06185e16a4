// The profile of a table, with a handful of queries for any number of columns.
import { type Cell, type ColumnKind, quoteName } from '../domain/cells.ts'
import { EngineError, type QueryEngine, type TableFacts } from '../domain/query-engine.ts'
import type { ColumnProfile, TableProfile } from '../domain/table-profile.ts'
import { type AskTable, askTable } from './ask-table.ts'
import { countBins } from './bins.ts'
import { type ColumnFacts, columnFacts } from './column-facts.ts'
import { remarksOn } from './remarks.ts'

/** The number of columns per query. */
const columnsAtOnce = 60

export async function profileTable(engine: QueryEngine, table: string, signal?: AbortSignal): Promise<TableProfile> {
  const known = (await engine.tables()).find(({ name }) => name.toLowerCase() === table.toLowerCase())
  if (known === undefined) throw new EngineError('sql', `Table "${table}" does not exist.`)
  const ask = askTable(engine, known, signal)
  const columns: ColumnProfile[] = []
  const facts: ColumnFacts[] = []
  for (let from = 0; from < known.columns.length; from += columnsAtOnce) {
    const some = await columnFacts(ask, known.columns.slice(from, from + columnsAtOnce))
    facts.push(...some)
    columns.push(...(await profileColumns(ask, known, some)))
  }
  return { table: known.name, rowCount: known.rowCount, duplicateRows: await countDuplicates(ask, facts), columns }
}

async function profileColumns(
  ask: AskTable,
  { rowCount }: TableFacts,
  facts: readonly ColumnFacts[],
): Promise<readonly ColumnProfile[]> {
  const top = await findTopValues(ask, facts)
  const bins = await countBins(ask, facts)
  const remarks = await remarksOn(ask, facts)
  return facts.map((one, index) => {
    const { column, kind, nulls, distinct, isUnique, range, quantiles } = one
    const values = top[index] ?? []
    const frequent = values.map(({ value, count }) => ({ label: String(value), count }))
    return {
      column,
      kind,
      nulls,
      distinct,
      isUnique,
      range,
      quantiles,
      bins: bins[index] ?? (rowCount === 0 ? [] : frequent),
      top: values,
      remarks: remarks[index] ?? [],
    }
  })
}

/** Beyond this, counting takes too much time and memory. */
const mostRows = 5_000_000

/** Duplicate rows; `null` if not counted. */
async function countDuplicates(ask: AskTable, facts: readonly ColumnFacts[]): Promise<number | null> {
  const { rowCount } = ask.table
  // A unique column without nulls makes every row unique.
  if (facts.some(({ isUnique, nulls }) => isUnique && nulls === 0) || rowCount < 2) return 0
  if (rowCount > mostRows || facts.length === 0) return null
  // Uses a 64-bit hash: a collision among millions of rows occurs in fewer than one of a million tables.
  const names = facts.map(({ column }) => quoteName(column.name)).join(', ')
  const [distinct] = await ask.values([`count(DISTINCT hash(${names}))`])
  return typeof distinct === 'number' ? rowCount - distinct : null
}

const most = 8
/** Longer values are cut, because a cell may be a whole document. */
const longest = 200

/** The most frequent values by column; none if nearly every row is different. */
async function findTopValues(
  { from, rows }: AskTable,
  facts: readonly ColumnFacts[],
): Promise<readonly ColumnProfile['top'][]> {
  const parts = facts.flatMap((one, index) => (hasFrequent(one) ? [partOf(from, one, index)] : []))
  if (parts.length === 0) return facts.map(() => [])
  const found = await rows(parts.join(' UNION ALL '))
  return facts.map(({ kind }, index) =>
    found
      .filter(([at]) => Number(at) === index)
      .map(([, value, count]) => ({ value: typed(value ?? null, kind), count: Number(count) }))
      .sort((one, other) => other.count - one.count),
  )
}

/** Numbers and dates have a range; their values are listed only if there are few. */
function hasFrequent({ kind, distinct, count, isUnique }: ColumnFacts): boolean {
  if (count === 0 || isUnique || kind === 'other') return false
  return kind === 'text' || kind === 'yes-no' ? distinct <= Math.max(20, count / 2) : distinct <= 50
}

function partOf(from: string, { column }: ColumnFacts, index: number): string {
  const name = quoteName(column.name)
  const value = `left(${name}::VARCHAR, ${longest})`
  const order = 'ORDER BY n DESC, v'
  return `(SELECT ${index} AS c, ${value} AS v, count(*) AS n FROM ${from} WHERE ${name} IS NOT NULL GROUP BY v ${order} LIMIT ${most})`
}

function typed(value: Cell, kind: ColumnKind): Cell {
  if (kind === 'yes-no') return value === null ? null : value === 'true'
  return kind === 'number' && typeof value === 'string' ? Number(value) : value
}
