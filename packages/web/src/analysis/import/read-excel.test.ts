import { expect, it } from 'vitest'
import { moment } from './read-excel.ts'

it.each([
  [46_000, false, '2025-12-09'],
  [46_000.5, false, '2025-12-09 12:00:00'],
  [45_658.123_456, false, '2025-01-01 02:57:46.598'],
  [1, false, '1900-01-01'],
  [59, false, '1900-02-28'],
  [61, false, '1900-03-01'],
  [0, true, '00:00:00'],
  [1, true, '1904-01-02'],
  [0.75, false, '18:00:00'],
])('reads day %d of a count (from 1904: %s) as %s', (serial, is1904, text) => {
  expect(moment(serial, is1904)).toBe(text)
})
