// Checks a caller's requested settings against the agent file.
import {
  type AgentDefinition,
  type Applied,
  allowsMore,
  autoModel,
  findModel,
  hasFreeModelNames,
  type Limits,
  ModelTier,
  misspelledModel,
  modelAliasesFor,
  modelsForAgent,
  type PermissionMode,
  QuarterdeckError,
  type Thinking,
} from '@quarterdeck/protocol'
import type { AgentRegistry } from '../../ports/agent-registry.ts'

/**
 * The full id for an id, an alias or a tier; `auto` stays: each turn chooses. An id that the catalog does not have is
 * returned unchanged. Throws `model.unknown` if it is misspelled or names a model of another provider.
 */
export async function resolveModelId(agents: AgentRegistry, agent: AgentDefinition, wanted: string): Promise<string> {
  const words = modelAliasesFor(agent)
  const isWord = wanted === autoModel || ModelTier.safeParse(wanted).success
  if (wanted === autoModel && words.includes(autoModel)) return autoModel
  const catalog = await agents.catalog(agent.name)
  const fitting = modelsForAgent(catalog, agent)
  const model = isWord && !words.includes(wanted) ? undefined : findModel(wanted, fitting)
  if (model !== undefined) return model.id
  if (!isWord && hasFreeModelNames(agent.model.provider)) return wanted
  const near = misspelledModel(wanted, [...words, ...fitting.flatMap(({ id, aliases }) => [id, ...aliases])])
  if (near !== undefined) {
    throw new QuarterdeckError('model.unknown', `there is no model "${wanted}". Did you mean "${near}"?`)
  }
  if (!isWord && findModel(wanted, catalog) === undefined && isOfProvider(agent, wanted)) return wanted
  const known = [...words, ...fitting.map(({ id }) => id)].join(', ')
  const why = `is not a model of ${agent.model.provider}, which this agent uses`
  throw new QuarterdeckError('model.unknown', `"${wanted}" ${why}: there are ${known}`)
}

const isOfProvider = (agent: AgentDefinition, id: string): boolean => modelsForAgent([{ id }], agent).length > 0

/** For clients that may not exceed the agent file's limits: a model without a known price has no dollar limit. */
export async function requireCatalogModel(agents: AgentRegistry, agent: AgentDefinition, id: string): Promise<void> {
  if (id === autoModel || id === agent.model.id) return
  if (findModel(id, await agents.catalog(agent.name)) !== undefined) return
  throw new QuarterdeckError('model.unknown', `"${id}" is not in the catalog: choose a model that GET /v1/models lists`)
}

type Warned = Pick<Applied, 'warnings'>

/** The warnings of a reply to a client that chose this model. None for names that no catalog can list. */
export async function modelWarnings(agents: AgentRegistry, agent: AgentDefinition, id: string): Promise<Warned> {
  if (id === autoModel || hasFreeModelNames(agent.model.provider)) return {}
  if (findModel(id, await agents.catalog(agent.name))?.price != null) return {}
  return { warnings: [`the price of model "${id}" is unknown: dollar limits do not apply, only turn and time limits`] }
}

export function narrowMode(allowed: PermissionMode, wanted: PermissionMode = allowed): PermissionMode {
  if (!allowsMore(wanted, allowed)) return wanted
  const detail = `permissionMode ${wanted} allows more than the agent file does (${allowed})`
  throw new QuarterdeckError('request.invalid', detail)
}

/** For a session that takes its mode from another one: at most the agent file's. */
export const capMode = (allowed: PermissionMode, inherited: PermissionMode): PermissionMode =>
  allowsMore(inherited, allowed) ? allowed : inherited

export type WantedLimits = Partial<Record<keyof Limits, number | undefined>>

/** A caller that starts a session may ask for less than the agent file allows, never for more. */
export const narrowLimits = (limits: Limits, wanted: WantedLimits): Limits => raiseWithin(limits, limits, wanted)

/** The limits after a change. Throws for a limit above the agent file's, unless the session already has it. */
export function raiseWithin(fileLimits: Limits, current: Limits, wanted: WantedLimits): Limits {
  const chosen = chooseLimits(current, wanted)
  for (const name of limitNames) {
    if (chosen[name] <= Math.max(fileLimits[name], current[name])) continue
    const detail =
      `limits.${name} ${chosen[name]} is more than the agent file allows (${fileLimits[name]}): ` +
      'choose a lower limit, or create the session and raise the limit with an admin key'
    throw new QuarterdeckError('request.invalid', detail)
  }
  return chosen
}

/** For a session that takes its limits from another one: each at most the agent file's. */
export const capLimits = (fileLimits: Limits, inherited: Limits): Limits => ({
  maxTurns: Math.min(fileLimits.maxTurns, inherited.maxTurns),
  maxBudgetUsd: Math.min(fileLimits.maxBudgetUsd, inherited.maxBudgetUsd),
  maxDurationMs: Math.min(fileLimits.maxDurationMs, inherited.maxDurationMs),
})

const limitNames = ['maxTurns', 'maxBudgetUsd', 'maxDurationMs'] as const

export const chooseLimits = (limits: Limits, wanted: WantedLimits): Limits => ({
  maxTurns: wanted.maxTurns ?? limits.maxTurns,
  maxBudgetUsd: wanted.maxBudgetUsd ?? limits.maxBudgetUsd,
  maxDurationMs: wanted.maxDurationMs ?? limits.maxDurationMs,
})

/** The bounds of agent files. */
const thinkingBudget = { least: 1000, most: 100_000 }

/** A session may turn thinking on or off regardless of the agent file. The budget is bounded. */
export function checkThinking(wanted: Thinking): Thinking {
  if (wanted === null) return null
  const { least, most } = thinkingBudget
  if (wanted.budgetTokens >= least && wanted.budgetTokens <= most) return wanted
  throw new QuarterdeckError('request.invalid', `thinking.budgetTokens must be between ${least} and ${most}`)
}
