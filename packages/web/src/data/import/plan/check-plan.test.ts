import { expect, it } from 'vitest'
import type { ImportPlan, PlannedTable } from '../../domain/import-plan.ts'
import { checkPlan } from './check-plan.ts'

const tableOf = (name: string, ...columns: readonly string[]): PlannedTable => ({
  part: name,
  isChosen: true,
  name,
  preview: { columns: [], rows: [] },
  rowCount: null,
  columns: columns.map((column) => ({ sourceName: column, name: column, type: 'VARCHAR' })),
})
const planOf = (...tables: readonly PlannedTable[]): ImportPlan => ({
  file: 'f.xlsx',
  sizeBytes: 1,
  format: 'excel',
  encoding: null,
  delimiter: null,
  hasHeader: true,
  warnings: [],
  tables,
})

it('accepts a plan with valid names', () => {
  expect(() => checkPlan(planOf(tableOf('t', 'a', 'b'), { ...tableOf('T', 'a'), isChosen: false }))).not.toThrow()
})

it.each([
  ['no table is selected', planOf({ ...tableOf('t', 'a'), isChosen: false }), 'No table of "f.xlsx" is selected'],
  ['two tables have the same name', planOf(tableOf('t', 'a'), tableOf('T', 'a')), 'Two tables are named "T"'],
  ['a table has no name', planOf(tableOf(' ', 'a')), 'Enter a name for the table'],
  ['a table has the name of a step', planOf(tableOf('step_1', 'a')), 'Names like this are reserved for analysis steps'],
  ['two columns have the same name', planOf(tableOf('t', 'a', 'A')), 'Two columns of "t" are named "A"'],
  ['a column has no name', planOf(tableOf('t', '')), 'A column of "t" has no name'],
  [
    'there are too many columns',
    planOf(tableOf('t', ...Array.from({ length: 2001 }, (_, index) => `c${index}`))),
    '"t" has 2,001 columns, but at most 2,000 are supported',
  ],
  ['no column is left', planOf(tableOf('t')), 'All columns of "t" are left out'],
])('rejects a plan in which %s', (_what, plan, sentence) => {
  expect(() => checkPlan(plan)).toThrow(sentence)
})
