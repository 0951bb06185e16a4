import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import initSqlite from 'sql.js'
import { expect, it } from 'vitest'
import { planBytes } from '../worker/decode.ts'
import { readSqlite } from './read-sqlite.ts'

const loadWasm = async (): Promise<ArrayBuffer> => {
  const path = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
  return new Uint8Array(await readFile(path)).buffer
}

async function databaseOf(sql: string): Promise<Uint8Array<ArrayBuffer>> {
  const { Database } = await initSqlite()
  const made = new Database()
  made.run(sql)
  const bytes = new Uint8Array(made.export())
  made.close()
  return bytes
}

const endless = (name: string, select: string): string =>
  `CREATE VIEW ${name} AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT ${select} FROM r;`

it('reads only the start of an endless view, and does not select it', async () => {
  const bytes = await databaseOf(
    `CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x'); CREATE VIEW short AS SELECT a FROM t; ${endless('loopy', 'n')}`,
  )
  const given = { file: 'places.db', sizeBytes: bytes.length, pieces: [bytes], taken: [], choices: {} }
  const { tables, warnings } = await planBytes(given, loadWasm)
  expect(tables.map(({ name, isChosen, rowCount }) => ({ name, isChosen, rowCount }))).toEqual([
    { name: 't', isChosen: true, rowCount: 1 },
    { name: 'loopy', isChosen: false, rowCount: null },
    { name: 'short', isChosen: true, rowCount: 1 },
  ])
  expect(tables[1]).toMatchObject({ columns: [{ name: 'n', type: 'BIGINT' }] })
  expect(tables[1]?.preview.rows).toHaveLength(50)
  expect(warnings).toEqual([
    'loopy: the review read only the first 20,000 rows of this view. Select it to import all of them.',
  ])
})

it('reads fewer rows of a view if they are large', async () => {
  const bytes = await databaseOf(endless('wordy', 'hex(zeroblob(1000000)) AS text'))
  const [wordy] = await readSqlite({ bytes, file: 'places.db', parts: null }, loadWasm)
  expect(wordy?.isWhole).toBe(false)
  expect(wordy?.table.rowCount).toBe(10)
})

it('refuses a selected view that is too large, by name', async () => {
  const bytes = await databaseOf(endless('wordy', 'hex(zeroblob(20000000)) AS text'))
  await expect(readSqlite({ bytes, file: 'places.db', parts: ['wordy'] }, loadWasm)).rejects.toThrow(
    'The view "wordy" of "places.db" has more than 500 MB, the limit for a view. Leave it out.',
  )
})
