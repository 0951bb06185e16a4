import { expect, it } from 'vitest'
import { RanTooLong, runBounded } from './run-bounded.ts'

it('returns the result of the work, and throws its error', () => {
  expect(runBounded(() => ({ sum: 1 + 1 }), 10_000)).toEqual({ sum: 2 })
  const broken = new Error('broken')
  expect(() =>
    runBounded(() => {
      throw broken
    }, 10_000),
  ).toThrow(broken)
})

it('ends a regular expression with catastrophic backtracking', () => {
  expect(() => runBounded(() => /^(a+)+$/.test(`${'a'.repeat(64)}!`), 20)).toThrow(RanTooLong)
  expect(runBounded(() => 'still here', 10_000)).toBe('still here')
})
