import { describe, expect, it } from 'vitest'
import { sanitizeTokens } from './token-counts.ts'

describe('invalid counts', () => {
  const reported = { input: 10, output: 2, cacheRead: 3, cacheWrite: 0 }
  const odd: readonly unknown[] = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 1e12, '7', {}, null, undefined]

  it('are replaced by estimates, which marks the whole; valid counts stay', () => {
    expect(sanitizeTokens(reported)).toEqual(reported)
    for (const input of odd) {
      // A provider may send values of any type.
      const tokens = { ...reported, input } as typeof reported
      expect(sanitizeTokens(tokens, { input: 50 })).toEqual({ ...reported, input: 50, isOutputEstimated: true })
      expect(sanitizeTokens(tokens)).toEqual({ ...reported, input: 0, isOutputEstimated: true })
    }
  })
})
