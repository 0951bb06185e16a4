import {
  type CatalogModel,
  type EventOfType,
  findModel,
  highCostOf,
  priceOf,
  sanitizeTokens,
  unitsOf,
} from '@quarterdeck/protocol'
import type { ModelUse } from '../ports/model-gateway.ts'

type Usage = EventOfType<'UsageRecorded'>['data']

/** A model request as the ledger books it: at the catalog's price of the model that was asked for. */
export function priceUsage(use: ModelUse, catalog: readonly CatalogModel[]): Usage {
  const { requestId, apiMessageId, requestedModel, servedModel, tokens } = use
  const usage = { requestId, apiMessageId, model: requestedModel, servedModel, tokens, costUsd: null } as const
  return priced({ ...usage, source: 'gateway' }, catalog)
}

/** The same for what a backend reported itself. Counts that cannot be must not make a sum smaller, or no number at all. */
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
    // Against a price nobody knows nothing can be saved.
    highCostUsd: costUsd === null ? null : highCostOf(tokens, catalog),
  }
}
