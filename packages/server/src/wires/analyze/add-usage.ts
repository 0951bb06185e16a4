import { type AnalysisUsage, type CatalogModel, type EventOfType, findModel, unitsOf } from '@quarterdeck/protocol'

export const noUsage: AnalysisUsage = { inputTokens: 0, outputTokens: 0, units: 0, costUsd: 0 }

/** With one more request. A sum with an unknown price in it is unknown. */
export function addUsage(
  sum: AnalysisUsage,
  { tokens, units, costUsd, model }: EventOfType<'UsageRecorded'>['data'],
  catalog: readonly CatalogModel[],
): AnalysisUsage {
  const cached = (sum.cachedInputTokens ?? 0) + tokens.cacheRead
  return {
    inputTokens: sum.inputTokens + tokens.input + tokens.cacheRead + tokens.cacheWrite,
    outputTokens: sum.outputTokens + tokens.output,
    ...(cached === 0 ? {} : { cachedInputTokens: cached }),
    units: sum.units + (units ?? unitsOf(tokens, findModel(model, catalog))),
    costUsd: sum.costUsd === null || costUsd === null ? null : sum.costUsd + costUsd,
  }
}
