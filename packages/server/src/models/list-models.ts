import {
  autoLabel,
  autoModel,
  type Budget,
  type CatalogModel,
  findModel,
  type ModelSummary,
  tierMultiplier,
} from '@quarterdeck/protocol'

/** The catalog for clients: automatic selection first, and why a model is unavailable. */
export function listModels(catalog: readonly CatalogModel[], budgets: readonly Budget[]): ModelSummary[] {
  const hasDollarBudget = budgets.some(({ unit }) => unit === 'usd')
  const summaries = catalog.map((model) => summaryOf(model, hasDollarBudget))
  return [autoOf(catalog, summaries), ...summaries]
}

function summaryOf(model: CatalogModel, hasDollarBudget: boolean): ModelSummary {
  const { id, label, tier, price, contextWindow, use, runsAs = null } = model
  return {
    id,
    label,
    tier,
    price,
    contextWindow,
    use,
    runsAs,
    multiplier: tierMultiplier[tier],
    available: price !== null || !hasDollarBudget,
    reason: reasonFor(model, hasDollarBudget),
  }
}

function reasonFor({ id, price, runsAs }: CatalogModel, hasDollarBudget: boolean): string | null {
  const runs = runsAs === undefined ? '' : `; runs as ${runsAs}`
  if (price !== null) return runsAs === undefined ? null : `runs as ${runsAs}`
  if (!hasDollarBudget) return `price unknown: no dollar limit${runs}`
  return `price unknown, so a dollar budget cannot be enforced: set models."${id}".price in config.yaml${runs}`
}

/** Needs the two tiers it chooses between. */
function autoOf(catalog: readonly CatalogModel[], summaries: readonly ModelSummary[]): ModelSummary {
  const tiers = ['high', 'low'] as const
  const missing = tiers.filter((tier) => {
    const id = findModel(tier, catalog)?.id
    return !summaries.some((summary) => summary.id === id && summary.available)
  })
  return {
    id: autoModel,
    label: autoLabel,
    use: 'short questions and subagents on low, everything else on high',
    tier: null,
    multiplier: null,
    price: null,
    runsAs: null,
    contextWindow: findModel('high', catalog)?.contextWindow ?? 0,
    available: missing.length === 0,
    reason: missing.length === 0 ? null : `no ${missing.join(' and no ')} model is available`,
  }
}
