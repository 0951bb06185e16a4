import { expect, it } from 'vitest'
import { tableNameProblem } from './table-name-problem.ts'

it.each([
  ['', 'A table needs a name.'],
  ['step_12', 'Steps of analyses have names like this. Choose another.'],
  ['Step_3', 'Steps of analyses have names like this. Choose another.'],
  ['pg_orders', 'The database itself has names like this. Choose another.'],
  ['My_Quarterdeck_Kept_2026', 'The database itself has names like this. Choose another.'],
  ['ORDERS', 'There is a table ORDERS already.'],
  ['step_1_rows', null],
  ['orders_2', null],
])('says of the name %j beside "orders": %s', (name, words) => {
  expect(tableNameProblem(name, ['orders'])).toBe(words)
})
