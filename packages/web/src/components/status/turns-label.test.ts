import { expect, it } from 'vitest'
import { turnsLabel } from './turns-label.ts'

const limits = { maxTurns: 30, maxBudgetUsd: 1, maxDurationMs: 1000 }

it.each([
  [12, '12 of 30'],
  [30, '30 of 30'],
  [31, '31, at most 30 a message'],
])('says of %d turns: %s', (numTurns, words) => {
  expect(turnsLabel({ numTurns, limits })).toBe(words)
})
