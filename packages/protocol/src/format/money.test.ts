import { expect, it } from 'vitest'
import { formatLimit, formatUsd } from './money.ts'

it.each([
  [0, '$0'],
  [0.000000001, '<$0.0001'],
  [0.0001, '$0.0001'],
  [0.00636, '$0.0064'],
  [0.004, '$0.004'],
  [0.00999, '$0.01'],
  [0.067, '$0.07'],
  [1.836, '$1.84'],
  [1234.5, '$1234.50'],
])('writes %s dollars as %s: a real sum is never nothing', (usd, text) => {
  expect(formatUsd(usd)).toBe(text)
})

it('writes a limit as people set it', () => {
  expect([5, 0.5, 0.005].map(formatLimit)).toEqual(['$5', '$0.50', '$0.005'])
})
