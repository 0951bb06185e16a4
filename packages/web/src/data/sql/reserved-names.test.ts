import { expect, it } from 'vitest'
import { tableNameProblem } from './reserved-names.ts'

it.each([
  ['', 'Enter a name for the table.'],
  ['step_12', 'Names like this are reserved for analysis steps. Choose another.'],
  ['Step_3', 'Names like this are reserved for analysis steps. Choose another.'],
  ['pg_orders', 'Names like this are reserved by the database. Choose another.'],
  ['My_Quarterdeck_Kept_2026', 'Names like this are reserved by the database. Choose another.'],
  ['ORDERS', 'A table named ORDERS already exists.'],
  ['step_1_rows', null],
  ['orders_2', null],
])('describes the problem of the name %j next to "orders": %s', (name, words) => {
  expect(tableNameProblem(name, ['orders'])).toBe(words)
})
