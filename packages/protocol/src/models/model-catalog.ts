// The model catalog: data, not code. All code that needs a model, a tier, a price or a limit reads it.
import { z } from 'zod'
import { QuarterdeckError } from '../errors/quarterdeck-error.ts'

/** The model name in every answer of the simulator, whichever model it simulates. */
export const simulatorModel = 'simulator'

export const ModelTier = z.enum(['pro', 'high', 'low'])
export type ModelTier = z.infer<typeof ModelTier>

/** Dollars per million tokens. */
export const ModelPrice = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative(),
  cacheWrite: z.number().nonnegative(),
})
export type ModelPrice = z.infer<typeof ModelPrice>

/** The weight of a cached token in units, relative to an ordinary one. */
export interface CacheWeights {
  readonly read: number
  readonly write: number
}

export interface CatalogModel {
  readonly id: string
  readonly aliases: readonly string[]
  readonly label: string
  readonly tier: ModelTier
  readonly price: ModelPrice | null
  readonly contextWindow: number
  readonly use: string
  /** The model that the provider serves for a retired id. */
  readonly runsAs?: string
  /** Cached tokens that are read are free and written ones count once by default. */
  readonly weights?: CacheWeights
}

/** The default budget of a session. It does not apply to a model without a price. */
export const defaultBudgetUsd = 5

/** The name that leaves the choice of a model to the rules, turn by turn. */
export const autoModel = 'auto'
export const autoLabel = 'Claude (Automatic Selection)'

export const tierMultiplier: Readonly<Record<ModelTier, number>> = { pro: 5, high: 3, low: 1 }

const tiers: Readonly<Record<ModelTier, Pick<CatalogModel, 'price' | 'use'>>> = {
  pro: { price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, use: 'complex reasoning, architecture' },
  high: { price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, use: 'balanced' },
  low: { price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }, use: 'simple tasks, routing, subagents' },
}

export const modelCatalog: readonly CatalogModel[] = [
  entry('pro', 'claude-opus-4-5', 'Claude Opus 4.5'),
  entry('pro', 'claude-opus-4-6', 'Claude Opus 4.6'),
  {
    ...entry('high', 'claude-sonnet-4-5-20250929', 'Claude Sonnet 4.5'),
    aliases: ['claude-sonnet-4-5'],
    use: 'balanced; default for agent sessions',
  },
  entry('high', 'claude-sonnet-4-6', 'Claude Sonnet 4.6'),
  {
    ...entry('low', 'claude-haiku-4-5', 'Claude Haiku 4.5'),
    aliases: ['claude-haiku-4-5-20250925', 'claude-haiku-4-5-20251001'],
  },
  { ...entry('pro', 'claude-opus-4-20250514', 'Claude Opus 4'), price: null, runsAs: 'claude-opus-5-5' },
]

function entry(tier: ModelTier, id: string, label: string): CatalogModel {
  return { id, aliases: [], label, tier, ...tiers[tier], contextWindow: 200_000 }
}

/** The catalog's entry for an id, an alias or a tier name (a tier means the first id of its row). */
export function findModel(name: string, catalog: readonly CatalogModel[] = modelCatalog): CatalogModel | undefined {
  const tier = ModelTier.safeParse(name)
  if (tier.success) return catalog.find((entry) => entry.tier === tier.data)
  return catalog.find((entry) => entry.id === name || entry.aliases.includes(name))
}

/** The full id for a tier, an alias or an id; unknown ids are passed on unchanged. */
export function resolveModelId(name: string, catalog: readonly CatalogModel[] = modelCatalog): string {
  if (name.trim() === '') throw new QuarterdeckError('model.unknown', 'the model name is empty: write an id or a tier')
  return findModel(name, catalog)?.id ?? name
}
