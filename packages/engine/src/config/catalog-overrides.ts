import { type CatalogModel, findModel, modelCatalog } from '@quarterdeck/protocol'
import type { ModelOverride } from './config-file.ts'

/** The catalog as `models:` of config.yaml changes it. An id it does not know is added at the end. */
export function applyOverrides(overrides: Readonly<Record<string, ModelOverride>>): readonly CatalogModel[] {
  const models = [...modelCatalog]
  for (const [name, override] of Object.entries(overrides)) {
    const known = findModel(name, models)
    const changed = change(known ?? unknownModel(name), override)
    if (known === undefined) models.push(changed)
    else models[models.indexOf(known)] = changed
  }
  return models
}

const unknownModel = (id: string): CatalogModel => ({
  id,
  aliases: [],
  label: id,
  tier: 'high',
  price: null,
  contextWindow: 200_000,
  use: 'from config.yaml',
})

function change(model: CatalogModel, { price, tier, cache_weights: weights }: ModelOverride): CatalogModel {
  return {
    ...model,
    ...(weights ? { weights } : {}),
    tier: tier ?? model.tier,
    price: price
      ? { input: price.input, output: price.output, cacheRead: price.cache_read, cacheWrite: price.cache_write }
      : model.price,
  }
}
