import { expect, it } from 'vitest'
import { analysisSearch } from './analysis-search.ts'

it('holds positions in the address, and no names of tables or columns', () => {
  const places = { tab: 'profile', step: 2, cell: '10-3', table: 1 }
  expect(analysisSearch(places)).toEqual(places)
  expect(analysisSearch({ step: '2', table: '3' })).toEqual({ step: 2, table: 3 })
  expect(analysisSearch({ tab: 'x', step: 0, cell: '1.secret-person-34', table: 'payroll' })).toEqual({})
  expect(analysisSearch({ cell: 1.1, table: 0 })).toEqual({})
})
