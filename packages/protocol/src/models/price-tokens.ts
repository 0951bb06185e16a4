// The price of tokens in dollars, and their count against limits in units.
import {
  type CacheWeights,
  type CatalogModel,
  findModel,
  type ModelPrice,
  modelCatalog,
  tierMultiplier,
} from './model-catalog.ts'
import type { TokenCounts } from './token-counts.ts'

/** Of a model without weights of its own. */
const cacheWeights: CacheWeights = { read: 0, write: 1 }

/** The price of some tokens in dollars, or null if it is unknown: never a made-up zero. */
export function priceOf(tokens: TokenCounts, price: ModelPrice | null): number | null {
  if (price === null) return null
  const perMillion =
    tokens.input * price.input +
    tokens.output * price.output +
    tokens.cacheRead * price.cacheRead +
    tokens.cacheWrite * price.cacheWrite
  return perMillion / 1_000_000
}

/**
 * Tokens as they count against a limit in units: each times the tier's multiplier, cached ones by their weight. A model
 * outside the catalog counts as `high`.
 */
export function unitsOf(tokens: TokenCounts, model: CatalogModel | undefined): number {
  const { read, write } = model?.weights ?? cacheWeights
  const counted = tokens.input + tokens.output + tokens.cacheRead * read + tokens.cacheWrite * write
  return counted * tierMultiplier[model?.tier ?? 'high']
}

/** The cost of the same tokens on the `high` model: the reference for savings. */
export const highCostOf = (tokens: TokenCounts, catalog: readonly CatalogModel[] = modelCatalog): number | null =>
  priceOf(tokens, findModel('high', catalog)?.price ?? null)
