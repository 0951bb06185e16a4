import { expect, it } from 'vitest'
import { formatDuration } from './duration.ts'

it.each([
  [0, '0 ms'],
  [95, '95 ms'],
  [400, '0.4 s'],
  [1234, '1.2 s'],
  [9960, '10 s'],
  [48_000, '48 s'],
  [59_700, '1 min 0 s'],
  [72_000, '1 min 12 s'],
  [119_900, '2 min 0 s'],
  [3_599_900, '1 h 0 min'],
  [7_391_000, '2 h 3 min'],
])('writes %s ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
