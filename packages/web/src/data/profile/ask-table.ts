import { type Cell, quoteName } from '../domain/cells.ts'
import type { QueryEngine, TableFacts } from '../domain/query-engine.ts'

export interface AskTable {
  readonly table: TableFacts
  /** The table as quoted for SQL. */
  readonly from: string
  /** The rows of a query with the user's rights: nothing leaves the browser. */
  rows(sql: string): Promise<readonly (readonly Cell[])[]>
  /** One row with many values. */
  values(expressions: readonly string[]): Promise<readonly Cell[]>
}

const timeoutMs = 120_000
const maxRows = 10_000

export function askTable(engine: QueryEngine, table: TableFacts, signal?: AbortSignal): AskTable {
  const from = quoteName(table.name)
  const options = { author: 'person' as const, maxRows, timeoutMs, ...(signal === undefined ? {} : { signal }) }
  const rows = async (sql: string) => (await engine.read(sql, options)).rows
  return {
    table,
    from,
    rows,
    async values(expressions) {
      if (expressions.length === 0) return []
      const named = expressions.map((expression, index) => `${expression} AS v${index}`)
      const [row] = await rows(`SELECT ${named.join(', ')} FROM ${from}`)
      return row ?? []
    },
  }
}
