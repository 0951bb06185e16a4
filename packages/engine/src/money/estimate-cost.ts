// What a request will cost, before anybody knows: what is usual for its reservation, and the most it can be.
import { type CatalogModel, findModel, priceOf, type TokenCounts, unitsOf } from '@quarterdeck/protocol'
import type { ModelRequest } from '../ports/model-gateway.ts'

export interface Cost {
  /** `null` where the price is unknown. */
  readonly usd: number | null
  readonly units: number
}

export interface CostEstimate {
  readonly expected: Cost
  readonly maximum: Cost
}

/** Text is counted by its length: dense text can have half as many tokens again. */
const densest = 1.5

/** A request that names no bound of its own is refused by the provider: this stands in until then. */
const unnamedOutput = 32_000

export function estimateCost(
  request: Omit<ModelRequest, 'sessionId' | 'requestId'>,
  expectedOutput: number,
  catalog: readonly CatalogModel[],
): CostEstimate {
  const model = findModel(request.model, catalog)
  const cost = (tokens: TokenCounts): Cost => ({
    usd: priceOf(tokens, model?.price ?? null),
    units: unitsOf(tokens, model),
  })
  const bound = request.maxOutputTokens > 0 ? request.maxOutputTokens : unnamedOutput
  const cacheRead = Math.min(request.cachedInputTokens, request.inputTokens)
  const input = request.inputTokens - cacheRead
  const maximum = Math.ceil(request.inputTokens * densest)
  const all = { input: 0, output: bound, cacheRead: 0, cacheWrite: 0 }
  return {
    expected: cost({ input, output: Math.min(expectedOutput, bound), cacheRead, cacheWrite: 0 }),
    // All of it written to the cache is what input can cost most; where a catalog says otherwise, the dearer counts.
    maximum: dearer(cost({ ...all, cacheWrite: maximum }), cost({ ...all, input: maximum })),
  }
}

const dearer = (one: Cost, other: Cost): Cost => ({
  usd: one.usd === null || other.usd === null ? null : Math.max(one.usd, other.usd),
  units: Math.max(one.units, other.units),
})
