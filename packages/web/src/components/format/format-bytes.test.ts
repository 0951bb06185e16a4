import { expect, it } from 'vitest'
import { formatBytes } from './format-bytes.ts'

it.each([
  [0, '0 B'],
  [99, '99 B'],
  [240, '0.2 kB'],
  [2400, '2.4 kB'],
  [48_000, '48 kB'],
  [999_800, '1 MB'],
  [48_200_000, '48 MB'],
  [2_000_000_000, '2 GB'],
  [2_130_000_000, '2.1 GB'],
])('formats %d bytes as %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words)
})
