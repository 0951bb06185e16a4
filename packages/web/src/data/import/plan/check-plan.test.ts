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

it('takes a plan whose names are names', () => {
  expect(() => checkPlan(planOf(tableOf('t', 'a', 'b'), { ...tableOf('T', 'a'), isChosen: false }))).not.toThrow()
})

it.each([
  ['nothing is chosen', planOf({ ...tableOf('t', 'a'), isChosen: false }), 'Nothing of "f.xlsx" is chosen'],
  ['two tables have one name', planOf(tableOf('t', 'a'), tableOf('T', 'a')), 'Two tables are called "T"'],
  ['a table has no name', planOf(tableOf(' ', 'a')), 'A table needs a name'],
  ['a table has the name of a step', planOf(tableOf('step_1', 'a')), 'Steps of analyses have names like this'],
  ['two columns have one name', planOf(tableOf('t', 'a', 'A')), 'Two columns of "t" are called "A"'],
  ['a column has no name', planOf(tableOf('t', '')), 'A column of "t" has no name'],
  [
    'there are too many columns',
    planOf(tableOf('t', ...Array.from({ length: 2001 }, (_, index) => `c${index}`))),
    '"t" has 2,001 columns, and 2,000 are the most',
  ],
  ['no column is left', planOf(tableOf('t')), 'No column of "t" is left'],
])('says so where %s', (_what, plan, sentence) => {
  expect(() => checkPlan(plan)).toThrow(sentence)
})
