import {
  type CatalogModel,
  type EventOfType,
  findModel,
  highCostOf,
  type ModelUse,
  priceOf,
  sanitizeTokens,
  unitsOf,
} from '@quarterdeck/protocol'

type Usage = EventOfType<'UsageRecorded'>['data']

/** A model request as the ledger books it: at the catalog price of the requested model. */
export function priceUsage(use: ModelUse, catalog: readonly CatalogModel[]): Usage {
  const { requestId, apiMessageId, requestedModel, servedModel, tokens } = use
  const usage = { requestId, apiMessageId, model: requestedModel, servedModel, tokens, costUsd: null } as const
  return priced({ ...usage, source: 'gateway' }, catalog)
}

/** The same for usage that a backend reported. Impossible counts must not reduce a sum or turn it into NaN. */
export function priced(usage: Usage, catalog: readonly CatalogModel[]): Usage {
  const model = findModel(usage.model, catalog)
  const tokens = sanitizeTokens(usage.tokens)
  const costUsd = priceOf(tokens, model?.price ?? null)
  return {
    ...usage,
    model: model?.id ?? usage.model,
    tokens,
    costUsd,
    units: unitsOf(tokens, model),
    // Without a price, savings are unknown.
    highCostUsd: costUsd === null ? null : highCostOf(tokens, catalog),
  }
}
