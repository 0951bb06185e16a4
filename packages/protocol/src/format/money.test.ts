import { expect, it } from 'vitest'
import { formatLimit, formatSaved, formatSpentOfLimit, formatUnits, formatUsd } from './money.ts'

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
])('writes %s dollars as %s: a real amount is never shown as zero', (usd, text) => {
  expect(formatUsd(usd)).toBe(text)
})

it('writes a limit as people set it', () => {
  expect([5, 0.5, 0.005].map(formatLimit)).toEqual(['$5', '$0.50', '$0.005'])
})

it.each([
  [{ costUsd: 0.18, savedUsd: 0.12 }, 'saved $0.12 (40 %)'],
  [{ costUsd: 0.5, savedUsd: -0.2 }, '$0.20 more than on high'],
  [{ costUsd: 0.5, savedUsd: 0 }, ''],
])('shows the savings against the high model: %s', (sums, text) => {
  expect(formatSaved(sums)).toBe(text)
})

it('writes units with thousands separators', () => {
  expect(formatUnits(12_500.4)).toBe('12,500 units')
})

it.each([
  [{ unit: 'usd', spent: 4.9, limit: 5 }, '$4.90 of $5'],
  [{ unit: 'units', spent: 9800.4, limit: 10_000 }, '9,800 of 10,000 units'],
] as const)('writes the spent part of a limit: %j', (sum, text) => {
  expect(formatSpentOfLimit(sum)).toBe(text)
})
