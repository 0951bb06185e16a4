// The DuckDB build of the page, run in Node with the setup statements of `boot.ts`. It blocks the calling thread.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createDuckDB, NODE_RUNTIME, VoidLogger } from '@duckdb/duckdb-wasm/blocking'
import { setupStatements } from './setup-statements.ts'

const dist = dirname(createRequire(import.meta.url).resolve('@duckdb/duckdb-wasm/dist/duckdb-eh.wasm'))

export interface NodeDuckDb {
  /** Rows as arrays of cells. Throws the error of DuckDB. */
  rows(sql: string): readonly (readonly unknown[])[]
}

export async function openNodeDuckDb(catalog: string): Promise<NodeDuckDb> {
  const bundle = (kind: string) => ({ mainModule: join(dist, `duckdb-${kind}.wasm`), mainWorker: '' })
  const db = await createDuckDB({ mvp: bundle('mvp'), eh: bundle('eh') }, new VoidLogger(), NODE_RUNTIME)
  await db.instantiate(() => undefined)
  db.open({})
  const connection = db.connect()
  for (const statement of setupStatements(catalog)) connection.query(statement)
  connection.query(`USE ${catalog}`)
  return {
    rows: (sql) =>
      connection
        .query(sql)
        .toArray()
        .map((row) => Object.values(row.toJSON())),
  }
}
