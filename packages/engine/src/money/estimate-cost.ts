// Estimates the cost of a request in advance: the usual cost, for its reservation, and the maximum.
import {
  type CatalogModel,
  findModel,
  type ModelRequest,
  priceOf,
  type TokenCounts,
  unitsOf,
} from '@quarterdeck/protocol'

export interface Cost {
  /** `null` if the price is unknown. */
  readonly usd: number | null
  readonly units: number
}

export interface CostEstimate {
  readonly expected: Cost
  readonly maximum: Cost
}

/** Text is measured by its length: dense text can have half as many tokens again. */
const densest = 1.5

/** The provider refuses a request without a bound; this value is used until then. */
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
    // The maximum for input is writing all of it to the cache; if a catalog differs, the higher price counts.
    maximum: dearer(cost({ ...all, cacheWrite: maximum }), cost({ ...all, input: maximum })),
  }
}

const dearer = (one: Cost, other: Cost): Cost => ({
  usd: one.usd === null || other.usd === null ? null : Math.max(one.usd, other.usd),
  units: Math.max(one.units, other.units),
})
