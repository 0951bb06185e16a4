import { expect, it } from 'vitest'
import { suggestLimit } from './suggest-limit.ts'

it('suggests a round limit above the amount spent', () => {
  expect(suggestLimit(5, 5)).toBe(7.5)
  expect(suggestLimit(0.11, 0.1)).toBe(0.2)
  expect(suggestLimit(4.9, 5)).toBe(7.5)
  expect(suggestLimit(80, 60)).toBe(150)
  expect(suggestLimit(0, 0)).toBe(1)
  for (const sum of [0.003, 0.1, 0.7, 1, 3.33, 9.99, 42, 1234]) expect(suggestLimit(sum, sum)).toBeGreaterThan(sum)
})
