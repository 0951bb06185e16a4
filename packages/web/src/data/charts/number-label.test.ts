import { expect, it } from 'vitest'
import { numberLabel, shortNumber } from './number-label.ts'

it.each([
  [2388.64, '2,388.64'],
  [285599.35, '285,599.35'],
  [27372.85, '27,372.85'],
  [29461.75, '29,461.75'],
  [14.8367, '14.84'],
  [1 / 3, '0.3333'],
  [-0.5, '-0.5'],
  [0, '0'],
  [0.1 + 0.2, '0.3'],
  [0.00001234, '1.23e-5'],
])('formats %d the same in a figure and in a chart: %s', (value, words) => {
  expect([numberLabel(value), shortNumber(value)]).toEqual([words, words])
})

it('rounds halves away from zero, even if the float is slightly less', () => {
  expect([numberLabel(100.005), numberLabel(-100.005), numberLabel(1.0005)]).toEqual(['100.01', '-100.01', '1.001'])
  expect([numberLabel(1005.115), numberLabel(1005.125)]).toEqual(['1,005.12', '1,005.13'])
  expect([shortNumber(2_425_000), shortNumber(-2_435_000)]).toEqual(['2.43 M', '-2.44 M'])
})

it('shows all digits of a large number in a figure, and few in a small space', () => {
  expect([numberLabel(1_234_567.891), shortNumber(1_234_567.891)]).toEqual(['1,234,567.89', '1.23 M'])
  expect(shortNumber(2.5e15)).toBe('2.50e+15')
})
