import { quoteName } from '../domain/cells.ts'
import type { AskTable } from './ask-table.ts'
import type { ColumnFacts } from './column-facts.ts'

/** Beyond this it takes too long and too much memory to tell. */
const mostRows = 5_000_000

/** Rows that are there already; `null` where nobody counted. */
export async function countDuplicates(ask: AskTable, facts: readonly ColumnFacts[]): Promise<number | null> {
  const { rowCount } = ask.table
  // A column without a value twice, and none missing, makes every row its own.
  if (facts.some(({ isUnique, nulls }) => isUnique && nulls === 0) || rowCount < 2) return 0
  if (rowCount > mostRows || facts.length === 0) return null
  // By a hash of 64 bits: among millions of rows two different ones share it less than once in a million tables.
  const names = facts.map(({ column }) => quoteName(column.name)).join(', ')
  const [distinct] = await ask.values([`count(DISTINCT hash(${names}))`])
  return typeof distinct === 'number' ? rowCount - distinct : null
}
