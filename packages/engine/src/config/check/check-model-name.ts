// Checks the name of the model and whether its price is known.
import {
  autoModel,
  type CatalogModel,
  findModel,
  hasFreeModelNames,
  ModelTier,
  misspelledModel,
  resolveModelId,
} from '@quarterdeck/protocol'
import type { AgentContext } from '../agent-context.ts'
import { nearestName } from '../problems/nearest-name.ts'
import type { Path } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import { claudeProviders } from './choose-backend.ts'

export const knownNames = (catalog: readonly CatalogModel[]): readonly string[] => [
  ...ModelTier.options,
  autoModel,
  ...catalog.flatMap(({ id, aliases }) => [id, ...aliases]),
]

/** Returns the full id. Tiers and aliases apply only to Anthropic models; other names are used as written. */
export function resolveModelName(context: AgentContext): { readonly name: string; readonly id: string } {
  const { file, source, catalog } = context
  const { provider } = file.model
  const name = file.model.name ?? 'high'
  if (claudeProviders.includes(provider)) {
    if (name !== autoModel) checkPrice(name, context)
    return { name, id: resolveModelId(name, catalog) }
  }
  if (ModelTier.safeParse(name).success || name === autoModel) {
    const message = `"${name}" is an alias for Anthropic models: use the name of a model of ${provider}`
    source.refuseValue(['model', 'name'], message)
  } else if (provider !== 'ollama') {
    checkPrice(name, context)
  }
  return { name, id: name }
}

interface NamedModel {
  readonly name: string
  readonly path: Path
  readonly known: readonly string[]
}

/** Reports a name missing from the catalog: an error if it looks misspelled, a warning otherwise. */
export function reportUnknownModel(context: AgentContext, named: NamedModel): void {
  if (reportMisspelled(context, named)) return
  const { name, path, known } = named
  const shown = asWritten(context.source, path, name)
  const message = `the catalog does not know the model "${shown}", so its price is unknown`
  const suggestion = nearestName(name, known)
  context.source.report({ severity: 'warning', code: 'config.price-unknown', path, part: 'value', message, suggestion })
}

/** Returns false and reports nothing if the name resembles no known one. */
function reportMisspelled({ file, source }: AgentContext, { name, path, known }: NamedModel): boolean {
  const suggestion = hasFreeModelNames(file.model.provider) ? undefined : misspelledModel(name, known)
  if (suggestion === undefined) return false
  const message = `there is no model "${asWritten(source, path, name)}"`
  source.report({ severity: 'error', code: 'config.invalid', path, part: 'value', message, suggestion })
  return true
}

/** An explicit dollar limit needs a price. Under the default limit alone, an unpriced model runs with a warning. */
function checkPrice(name: string, context: AgentContext): void {
  const { catalog, file, source } = context
  const entry = findModel(name, catalog)
  if (entry?.runsAs !== undefined) {
    const message = `"${entry.id}" runs as ${entry.runsAs}: the provider substitutes that model`
    source.report({ severity: 'warning', code: 'config.hint', path: ['model', 'name'], part: 'value', message })
  }
  if (entry?.price) return
  const isClaude = claudeProviders.includes(file.model.provider)
  const known = isClaude ? knownNames(catalog) : catalog.map(({ id }) => id)
  if (entry === undefined && reportMisspelled(context, { name, path: ['model', 'name'], known })) return
  const limit = ['limits', isClaude ? 'claude' : 'openai'] as const
  const explicit = limit.find((block) => file[block]?.max_budget_usd != null)
  const suggestion = entry === undefined && isClaude ? nearestName(name, known) : undefined
  const shown = asWritten(source, ['model', 'name'], name)
  const subject = `the price of model "${shown}" is unknown`
  if (explicit === undefined) {
    if (hasFreeModelNames(file.model.provider)) return
    const message = `${subject}: dollar limits do not apply, only turn and time limits`
    const path = ['model', 'name']
    source.report({ severity: 'warning', code: 'config.price-unknown', path, part: 'value', message, suggestion })
    return
  }
  const message = `${subject}, so a dollar limit cannot be enforced: set models."${shown}".price in config.yaml, or remove the limit`
  const path = [explicit, 'max_budget_usd']
  source.report({ severity: 'error', code: 'config.price-unknown', path, message, suggestion })
}
