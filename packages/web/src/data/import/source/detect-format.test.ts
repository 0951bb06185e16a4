import { expect, it } from 'vitest'
import { tableNameProblem } from '../../sql/table-name-problem.ts'
import { stemOf, tableName } from '../plan/table-name.ts'
import { detectFormat } from './detect-format.ts'

const bytes = (text: string) => Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)))

it.each([
  ['PAR1....', 'x.csv', 'parquet'],
  ['ARROW1\0\0', 'x', 'arrow'],
  ['\xff\xff\xff\xff\x20\x01\0\0....', 'x', 'arrow'],
  ['SQLite format 3\0', 'x.txt', 'sqlite'],
  ['PK\x03\x04', 'x.zip', 'excel'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'x.xls', 'excel'],
  ['[1,2]', 'x', 'json'],
  ['\xef\xbb\xbf [1,2]', 'x.txt', 'json'],
  ['{"a":1}\n{"a":2}\n', 'x', 'ndjson'],
  ['{\n "a":1}', 'x', 'json'],
  ['[1,2]\n[3,4]', 'x.jsonl', 'ndjson'],
  ['[id],n\n1,2', 'x.csv', 'csv'],
  ['a;b', 'x.txt', 'csv'],
  ['\xff\xfea\0;\0b\0', 'x.txt', 'csv'],
] as const)('knows %j by its content', (text, name, format) => {
  expect(detectFormat(bytes(text), name)).toBe(format)
})

it('says what a file is that is no table', () => {
  expect(() => detectFormat(bytes('%PDF-1.7'), 'x.csv')).toThrow('"x.csv" is no table: it is a PDF.')
})

it('names tables after files: letters of any language, no two the same, none that SQL would mistake', () => {
  expect(tableName(stemOf('C:\\data\\Q3 Größe (final).csv.gz'), [])).toBe('Q3_Größe_final')
  expect(tableName(stemOf('价格.json'), [])).toBe('价格')
  expect(tableName('Sales', ['sales', 'sales_2'])).toBe('Sales_3')
  expect(tableName('2024 sales', [])).toBe('t_2024_sales')
  expect(tableName('order', [])).toBe('order_table')
  expect(tableName('step_1', [])).toBe('step_1_table')
  expect(tableName(stemOf('sales.csv.gz.gz'), [])).toBe('sales')
  expect(tableName('???', [])).toBe('table_1')
})

it('names no table after what the database has itself: no model could read it', () => {
  for (const name of ['information_schema', 'pg_catalog', 'PG_class', 'sqlite_master', 'duckdb_tables']) {
    const named = tableName(stemOf(`${name}.csv`), [])
    expect(named).toBe(`${name}_table`)
    expect(tableNameProblem(name, [])).toContain('Choose another')
    expect(tableNameProblem(tableName(name, [named]), [])).toBeNull()
  }
  expect(tableName('quarterdeck_kept', [])).toBe('kept')
})
