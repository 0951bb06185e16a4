import { describe, expect, it } from 'vitest'
import { longestDurationMs, parseDuration } from './duration.ts'

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['24d', longestDurationMs],
  ])('parses %s as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', '0s', '5', 'h', '1 h', '-1h', '1.5h', '1w', '25d', '9999999999h', '1h!', 'never'])(
    'rejects %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )
})
