import { describe, expect, it } from 'vitest'
import { formatDuration, formatUsd } from './money.ts'

describe('money', () => {
  it.each([
    [0, '$0'],
    [0.004, '$0.0040'],
    [0.00003, '$0.000030'],
    [0.067, '$0.067'],
    [1.5, '$1.50'],
    [0.000000001, '<$0.000001'],
  ])('shows %s as %s and never rounds a real sum to zero', (amount, text) => {
    expect(formatUsd(amount)).toBe(text)
  })
})

describe('time', () => {
  it('shows seconds, then minutes', () => {
    expect(formatDuration(1234)).toBe('1.2 s')
    expect(formatDuration(61_000)).toBe('1 min 1 s')
  })
})
