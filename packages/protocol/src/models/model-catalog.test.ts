import { describe, expect, it } from 'vitest'
import { findModel, ModelTier, modelCatalog, resolveModelId, tierMultiplier } from './model-catalog.ts'

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

  it('names one model as the default: the one of the tier that agent files get', () => {
    const defaults = modelCatalog.filter(({ use }) => use.includes('default for agent sessions'))
    expect(defaults).toEqual([findModel('high')])
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
