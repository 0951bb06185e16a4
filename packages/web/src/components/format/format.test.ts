import { expect, it } from 'vitest'
import { formatAge, formatClock } from './format-time.ts'
import { shortCount } from './short-count.ts'

it('formats counts in short form', () => {
  expect([999, 1200, 88_000, 999_700, 1_900_000].map(shortCount)).toEqual(['999', '1.2 k', '88 k', '1 M', '1.9 M'])
})

it('formats durations as a clock and ages in the coarsest useful unit', () => {
  expect([7000, 860_000, 7_391_000].map(formatClock)).toEqual(['0:07', '14:20', '2:03:11'])
  const now = Date.parse('2026-05-04T10:00:00.000Z')
  const ago = (seconds: number) => formatAge(new Date(now - seconds * 1000).toISOString(), now)
  expect([3, 40, 360, 7300, 200_000].map(ago)).toEqual(['now', '40 s', '6 min', '2 h', '2 d'])
})
