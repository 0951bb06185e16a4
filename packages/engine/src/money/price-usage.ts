import { type CatalogModel, type EventOfType, findModel, priceOf } from '@quarterdeck/protocol'
import type { ModelUse } from '../model-gateway.ts'

/** A model request as the ledger books it: at the catalog's price of the model that was asked for. */
export function priceUsage(use: ModelUse, catalog: readonly CatalogModel[]): EventOfType<'UsageRecorded'>['data'] {
  const model = findModel(use.requestedModel, catalog)
  return {
    requestId: use.requestId,
    apiMessageId: use.apiMessageId,
    model: model?.id ?? use.requestedModel,
    servedModel: use.servedModel,
    tokens: use.tokens,
    costUsd: priceOf(use.tokens, model?.price ?? null),
    source: 'gateway',
  }
}
