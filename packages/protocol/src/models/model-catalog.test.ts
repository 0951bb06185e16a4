import { describe, expect, it } from 'vitest'
import {
  findModel,
  highCostOf,
  ModelTier,
  modelCatalog,
  priceOf,
  resolveModelId,
  sanitizeTokens,
  tierMultiplier,
  unitsOf,
} from './model-catalog.ts'

describe('the catalog', () => {
  it('lists every id and alias once, and none equals a tier', () => {
    const names = modelCatalog.flatMap((model) => [model.id, ...model.aliases])
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => ModelTier.safeParse(name).success)).toEqual([])
  })

  it('has a multiplier for each tier', () => {
    expect(tierMultiplier).toEqual({ pro: 5, high: 3, low: 1 })
  })

  it('finds an entry by id, alias and tier', () => {
    for (const model of modelCatalog)
      for (const name of [model.id, ...model.aliases]) expect(findModel(name)).toBe(model)
    for (const tier of ModelTier.options) expect(findModel(tier)?.tier).toBe(tier)
    expect(findModel('made-up')).toBeUndefined()
  })

  it('maps no tier to a model without a price', () => {
    for (const tier of ModelTier.options) expect(findModel(tier)?.price).not.toBeNull()
  })
})

describe('resolveModelId', () => {
  it('returns a full id for a tier and an alias, and passes unknown names on', () => {
    for (const tier of ModelTier.options) expect(resolveModelId(tier)).toMatch(/^claude-/)
    expect(resolveModelId('claude-haiku-4-5-20251001')).toBe('claude-haiku-4-5')
    expect(resolveModelId('some-new-model')).toBe('some-new-model')
  })

  it('refuses an empty name: the backend would use the most expensive model', () => {
    for (const name of ['', '  ']) expect(() => resolveModelId(name)).toThrow('the model name is empty')
  })
})

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

describe('invalid counts', () => {
  const reported = { input: 10, output: 2, cacheRead: 3, cacheWrite: 0 }
  const odd: readonly unknown[] = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 1e12, '7', {}, null, undefined]

  it('are replaced by estimates, which marks the whole; valid counts stay', () => {
    expect(sanitizeTokens(reported)).toEqual(reported)
    for (const input of odd) {
      // A provider may send values of any type.
      const tokens = { ...reported, input } as typeof reported
      expect(sanitizeTokens(tokens, { input: 50 })).toEqual({ ...reported, input: 50, isOutputEstimated: true })
      expect(sanitizeTokens(tokens)).toEqual({ ...reported, input: 0, isOutputEstimated: true })
    }
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
