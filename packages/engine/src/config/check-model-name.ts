// The model's name: what it means, and whether its price is known.
import { autoModel, type CatalogModel, findModel, ModelTier, resolveModelId } from '@quarterdeck/protocol'
import { asWritten } from './describe-issue.ts'
import { nearestName } from './nearest-name.ts'
import type { AgentContext } from './resolve-agent.ts'
import { claudeProviders } from './resolve-backend.ts'

export const knownNames = (catalog: readonly CatalogModel[]): readonly string[] => [
  ...ModelTier.options,
  autoModel,
  ...catalog.flatMap(({ id, aliases }) => [id, ...aliases]),
]

/** The full id. Tiers and aliases are names of Anthropic's models: everybody else's are taken as they are written. */
export function resolveModelName(context: AgentContext): { readonly name: string; readonly id: string } {
  const { file, source, catalog } = context
  const { provider } = file.model
  const name = file.model.name ?? 'high'
  if (claudeProviders.includes(provider)) {
    if (name !== autoModel) checkPrice(name, context)
    return { name, id: resolveModelId(name, catalog) }
  }
  if (ModelTier.safeParse(name).success || name === autoModel) {
    const message = `"${name}" stands for models of Anthropic: write the name of a model of ${provider}`
    source.report({ severity: 'error', code: 'config.invalid', path: ['model', 'name'], part: 'value', message })
  } else if (provider !== 'ollama') {
    checkPrice(name, context)
  }
  return { name, id: name }
}

/** A dollar limit somebody wrote needs a price; under the default limit alone an unpriced model runs and says so. */
function checkPrice(name: string, { catalog, file, source }: AgentContext): void {
  const entry = findModel(name, catalog)
  if (entry?.runsAs !== undefined) {
    const message = `"${entry.id}" runs as ${entry.runsAs}: the provider serves that for it`
    source.report({ severity: 'warning', code: 'config.hint', path: ['model', 'name'], part: 'value', message })
  }
  if (entry?.price) return
  const isClaude = claudeProviders.includes(file.model.provider)
  const limit = ['limits', isClaude ? 'claude' : 'openai'] as const
  const explicit = limit.find((block) => file[block]?.max_budget_usd != null)
  const suggestion = entry === undefined && isClaude ? nearestName(name, knownNames(catalog)) : undefined
  const shown = asWritten(source, ['model', 'name'], name)
  const subject = `the price of model "${shown}" is unknown`
  if (explicit === undefined) {
    const message = `${subject}: no dollar limit, only turns and time`
    const path = ['model', 'name']
    source.report({ severity: 'warning', code: 'config.price-unknown', path, part: 'value', message, suggestion })
    return
  }
  const message = `${subject}, so no dollar limit can hold: give models."${shown}".price in config.yaml, or leave the limit out`
  const path = [explicit, 'max_budget_usd']
  source.report({ severity: 'error', code: 'config.price-unknown', path, message, suggestion })
}
