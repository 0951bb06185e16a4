import { quoteName } from '../domain/cells.ts'
import type { QueryEngine, TableFacts } from '../domain/query-engine.ts'

export type AskTable = ReturnType<typeof askTable>

const timeoutMs = 120_000
const maxRows = 10_000

export function askTable(engine: QueryEngine, table: TableFacts, signal?: AbortSignal) {
  /** The table as quoted for SQL. */
  const from = quoteName(table.name)
  const options = { author: 'person' as const, maxRows, timeoutMs, signal }
  /** The rows of a query with the user's rights: nothing leaves the browser. */
  const rows = async (sql: string) => (await engine.read(sql, options)).rows
  return {
    table,
    from,
    rows,
    /** One row with many values. */
    async values(expressions: readonly string[]) {
      if (expressions.length === 0) return []
      const named = expressions.map((expression, index) => `${expression} AS v${index}`)
      const [row] = await rows(`SELECT ${named.join(', ')} FROM ${from}`)
      return row ?? []
    },
  }
}
