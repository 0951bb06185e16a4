import { expect, it } from 'vitest'
import { RanTooLong, runBounded } from './run-bounded.ts'

it('gives what the work comes to, and throws what it throws', () => {
  expect(runBounded(() => ({ sum: 1 + 1 }), 10_000)).toEqual({ sum: 2 })
  const broken = new Error('broken')
  expect(() =>
    runBounded(() => {
      throw broken
    }, 10_000),
  ).toThrow(broken)
})

it('ends a pattern that would be looked for until the end of days', () => {
  expect(() => runBounded(() => /^(a+)+$/.test(`${'a'.repeat(64)}!`), 20)).toThrow(RanTooLong)
  expect(runBounded(() => 'still here', 10_000)).toBe('still here')
})
