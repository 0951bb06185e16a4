// The profile of a table, with a handful of queries for any number of columns.

import { quoteName } from '../domain/cells.ts'
import { EngineError, type QueryEngine, type TableFacts } from '../domain/query-engine.ts'
import type { ColumnProfile, TableProfile } from '../domain/table-profile.ts'
import { type AskTable, askTable } from './ask-table.ts'
import { countBins } from './bins.ts'
import { type ColumnFacts, columnFacts } from './column-facts.ts'
import { remarksOn } from './remarks.ts'
import { findTopValues } from './top-values.ts'

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
