import { expect, it } from 'vitest'
import { turnsLabel } from './turns-label.ts'

const limits = { maxTurns: 30, maxBudgetUsd: 1, maxDurationMs: 1000 }

it.each([
  [12, '12 of 30'],
  [30, '30 of 30'],
  [31, '31, limit 30 per message'],
])('formats %d turns as %s', (numTurns, label) => {
  expect(turnsLabel({ numTurns, limits })).toBe(label)
})
