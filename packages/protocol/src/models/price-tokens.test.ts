import { describe, expect, it } from 'vitest'
import { findModel } from './model-catalog.ts'
import { highCostOf, priceOf, unitsOf } from './price-tokens.ts'

describe('priceOf', () => {
  const tokens = { input: 1_000_000, output: 1_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 }

  it('adds the four kinds of tokens by the million', () => {
    expect(priceOf(tokens, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBeCloseTo(22.05)
    expect(
      priceOf(
        { ...tokens, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      ),
    ).toBe(0)
  })

  it('returns null without a price', () => {
    expect(priceOf(tokens, null)).toBeNull()
  })
})

describe('units', () => {
  const tokens = { input: 600, output: 400, cacheRead: 9000, cacheWrite: 0 }

  it('are tokens times the multiplier of their tier: 1000 on pro are 5000, and cache reads are free', () => {
    expect([tokens, { ...tokens, cacheWrite: 10 }].map((some) => unitsOf(some, findModel('pro')))).toEqual([5000, 5050])
    expect([findModel('high'), findModel('low'), undefined].map((model) => unitsOf(tokens, model))).toEqual([
      3000, 1000, 3000,
    ])
  })

  it("use the model's own cache weights if it has them", () => {
    const low = findModel('low')
    expect(low && unitsOf(tokens, { ...low, weights: { read: 0.1, write: 1.25 } })).toBe(1900)
  })
})

it('measures savings against the first high model', () => {
  expect(highCostOf({ input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 })).toBe(3)
})
