import { expect, it } from 'vitest'
import { formatDuration } from './format-duration.ts'

it.each([
  [0.4, '0 ms'],
  [38.2, '38 ms'],
  [999.7, '1.0 s'],
  [6840, '6.8 s'],
  [59_990, '1 min'],
  [125_000, '2 min 5 s'],
])('formats %d ms as %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words)
})
