import { expect, it } from 'vitest'
import { nameClash } from './name-clash.ts'

it('a name nobody has is no clash', () => {
  expect(nameClash('depots', ['sales'])).toBeNull()
  expect(nameClash('sales_2', ['depots'])).toBeNull()
})

it('a taken name replaces, and says what the table would be called beside it', () => {
  expect(nameClash('Sales', ['sales', 'sales_2'])).toEqual({ taken: 'sales', free: 'Sales_3', replaces: true })
})

it('a name that was numbered because the first was taken can still replace it', () => {
  expect(nameClash('sales_2', ['sales'])).toEqual({ taken: 'sales', free: 'sales_2', replaces: false })
})
