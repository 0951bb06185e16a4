import type { AsyncDuckDBConnection } from '@duckdb/duckdb-wasm'
import type { BuiltInNames } from './guard.ts'

/** Asked of DuckDB itself, so that a newer one that brings more is guarded all the same. */
export async function readBuiltInNames(connection: AsyncDuckDBConnection): Promise<BuiltInNames> {
  const names = async (sql: string): Promise<ReadonlySet<string>> => {
    const table = await connection.query(sql)
    return new Set(table.toArray().map((row) => String(row.name).toLowerCase()))
  }
  const tables = `SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro', 'pragma')`
  const values = `SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')`
  return {
    catalogViews: await names(
      `SELECT view_name AS name FROM duckdb_views() WHERE internal AND schema_name <> 'information_schema'`,
    ),
    tableFunctions: await names(tables),
    alsoValues: await names(`${tables} INTERSECT ${values}`),
  }
}
