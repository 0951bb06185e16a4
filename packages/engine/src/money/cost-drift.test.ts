import { expect, it } from 'vitest'
import { emptyResult } from '../backends/empty-result.ts'
import { costDrift, reportedAtList } from './cost-drift.ts'

it.each([
  [1, 1.02, true],
  [1.02, 1, true],
  [1, 1.005, false],
  [0.00001, 0.00005, false],
  [0.0121771, 0.0125221, false],
  [0, 0.002, true],
])('compares the reported (%s) with the booked cost (%s)', (reportedUsd, bookedUsd, isDrift) => {
  expect(costDrift({ reportedUsd, bookedUsd }) !== null).toBe(isDrift)
})

it('compares nothing when the backend did not use list prices', () => {
  const ended = {
    outcome: 'completed' as const,
    result: emptyResult,
    durationMs: 1,
    durationApiMs: 1,
    reportedCostUsd: 2,
    permissionDenials: [],
  }
  const usage = { inputTokens: 1, outputTokens: 1 }
  expect(reportedAtList({ ...ended, modelUsage: { a: usage, b: { ...usage, costBasis: 'list' } } })).toBe(2)
  expect(reportedAtList({ ...ended, modelUsage: { a: { ...usage, costBasis: 'unknown' } } })).toBeNull()
})
