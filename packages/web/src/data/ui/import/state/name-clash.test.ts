import { expect, it } from 'vitest'
import { nameClash } from './name-clash.ts'

it('a name nobody has is no clash, whatever it ends with', () => {
  expect(nameClash('depots', 'depots', ['sales'])).toBeNull()
  expect(nameClash('sales_2024', 'sales_2024', ['sales'])).toBeNull()
  expect(nameClash('north', 'sales', ['sales'])).toBeNull()
})

it('a taken name replaces, and says what the table would be called beside it', () => {
  const names = ['sales', 'sales_2']
  expect(nameClash('Sales', 'Sales', names)).toEqual({ taken: 'sales', free: 'Sales_3', replaces: true })
  expect(nameClash('sales_2', 'sales', names)).toEqual({ taken: 'sales_2', free: 'sales_3', replaces: true })
})

it('a name that was numbered because the first was taken can still replace it', () => {
  expect(nameClash('sales_2', 'sales', ['sales'])).toEqual({ taken: 'sales', free: 'sales_2', replaces: false })
})
