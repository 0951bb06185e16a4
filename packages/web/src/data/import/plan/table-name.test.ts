import { expect, it } from 'vitest'
import { tableNameProblem } from '../../sql/reserved-names.ts'
import { nameClash, stemOf, tableName } from './table-name.ts'

it('names tables after files, with letters of any language, unique and safe in SQL', () => {
  expect(tableName(stemOf('C:\\data\\Q3 Größe (final).csv.gz'), [])).toBe('Q3_Größe_final')
  expect(tableName(stemOf('价格.json'), [])).toBe('价格')
  expect(tableName('Sales', ['sales', 'sales_2'])).toBe('Sales_3')
  expect(tableName('2024 sales', [])).toBe('t_2024_sales')
  expect(tableName('order', [])).toBe('order_table')
  expect(tableName('step_1', [])).toBe('step_1_table')
  expect(tableName(stemOf('sales.csv.gz.gz'), [])).toBe('sales')
  expect(tableName('???', [])).toBe('table_1')
})

it('avoids names of the database catalog, because models cannot read those tables', () => {
  for (const name of ['information_schema', 'pg_catalog', 'PG_class', 'sqlite_master', 'duckdb_tables']) {
    const named = tableName(stemOf(`${name}.csv`), [])
    expect(named).toBe(`${name}_table`)
    expect(tableNameProblem(name, [])).toContain('Choose another')
    expect(tableNameProblem(tableName(name, [named]), [])).toBeNull()
  }
  expect(tableName('quarterdeck_kept', [])).toBe('kept')
})

it('reports no clash for a free name, regardless of its ending', () => {
  expect(nameClash('depots', 'depots', ['sales'])).toBeNull()
  expect(nameClash('sales_2024', 'sales_2024', ['sales'])).toBeNull()
  expect(nameClash('north', 'sales', ['sales'])).toBeNull()
})

it('replaces the table when the name is taken, and suggests a free name', () => {
  const names = ['sales', 'sales_2']
  expect(nameClash('Sales', 'Sales', names)).toEqual({ taken: 'sales', free: 'Sales_3', replaces: true })
  expect(nameClash('sales_2', 'sales', names)).toEqual({ taken: 'sales_2', free: 'sales_3', replaces: true })
})

it('can still replace the first table when the name was numbered', () => {
  expect(nameClash('sales_2', 'sales', ['sales'])).toEqual({ taken: 'sales', free: 'sales_2', replaces: false })
})
