import { type AgentDefinition, type CatalogModel, findModel, modelCatalog } from '@quarterdeck/protocol'
import type { ModelOverride } from '../schema/config-file.ts'

/** The catalog with the changes from `models:` in config.yaml. Unknown ids are appended. */
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

/** Adds the models of an agent with another provider; models on the local machine are free. */
export function withOwnModels(
  catalog: readonly CatalogModel[],
  { model, claude }: Pick<AgentDefinition, 'model' | 'claude'>,
): readonly CatalogModel[] {
  const { provider, id } = model
  if (provider === 'anthropic' || provider === 'simulator') return catalog
  const named = [id, claude.fallbackModel].filter((each) => each !== null && findModel(each, catalog) === undefined)
  const price = provider === 'ollama' ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } : null
  const own = [...new Set(named)].flatMap((each) => (each === null ? [] : [{ ...unknownModel(each), price }]))
  return [...catalog, ...own.map((entry) => ({ ...entry, use: `a model of ${provider}` }))]
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

function change(model: CatalogModel, override: ModelOverride): CatalogModel {
  const { price, tier, label, context_window: contextWindow, cache_weights: weights } = override
  return {
    ...model,
    label: label ?? model.label,
    contextWindow: contextWindow ?? model.contextWindow,
    ...(weights ? { weights } : {}),
    tier: tier ?? model.tier,
    price: price
      ? { input: price.input, output: price.output, cacheRead: price.cache_read, cacheWrite: price.cache_write }
      : model.price,
  }
}
