// What a table is like, found with a handful of queries however many columns it has.
import type { QueryEngine, TableFacts } from '../domain/query-engine.ts'
import { EngineError } from '../domain/query-engine.ts'
import type { ColumnProfile, TableProfile } from '../domain/table-profile.ts'
import { type AskTable, askTable } from './ask-table.ts'
import { countBins } from './bins.ts'
import { type ColumnFacts, columnFacts } from './column-facts.ts'
import { countDuplicates } from './duplicates.ts'
import { remarksOn } from './remarks.ts'
import { findTopValues } from './top-values.ts'

/** So many columns are asked for in one query. */
const columnsAtOnce = 60

export async function profileTable(engine: QueryEngine, table: string, signal?: AbortSignal): Promise<TableProfile> {
  const known = (await engine.tables()).find(({ name }) => name.toLowerCase() === table.toLowerCase())
  if (known === undefined) throw new EngineError('sql', `There is no table "${table}".`)
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
