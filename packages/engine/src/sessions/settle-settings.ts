// What a caller may ask for, measured against the agent file.
import {
  type AgentDefinition,
  allowsMore,
  autoModel,
  findModel,
  type Limits,
  ModelTier,
  modelsForAgent,
  modelWordsFor,
  type PermissionMode,
  QuarterdeckError,
  type Thinking,
} from '@quarterdeck/protocol'
import type { AgentShelf } from './session-service.ts'

/** The full id for an id, an alias or a tier; `auto` stays: each turn chooses. Only what the agent's provider has. */
export async function knownModel(agents: AgentShelf, agent: AgentDefinition, wanted: string): Promise<string> {
  const words = modelWordsFor(agent)
  const isWord = wanted === autoModel || ModelTier.safeParse(wanted).success
  if (wanted === autoModel && words.includes(autoModel)) return autoModel
  const catalog = await agents.catalog(agent.name)
  const fitting = modelsForAgent(catalog, agent)
  const model = isWord && !words.includes(wanted) ? undefined : findModel(wanted, fitting)
  if (model !== undefined) return model.id
  const isElsewhere = isWord || findModel(wanted, catalog) !== undefined
  const why = isElsewhere ? `is no model of ${agent.model.provider}, which this agent uses` : 'is not in the catalog'
  const known = [...words, ...fitting.map(({ id }) => id)].join(', ')
  throw new QuarterdeckError('model.unknown', `"${wanted}" ${why}: there are ${known}`)
}

export function narrowedMode(allowed: PermissionMode, wanted: PermissionMode = allowed): PermissionMode {
  if (!allowsMore(wanted, allowed)) return wanted
  const detail = `permissionMode ${wanted} allows more than the agent file does (${allowed})`
  throw new QuarterdeckError('request.invalid', detail)
}

export type WantedLimits = Partial<Record<keyof Limits, number | undefined>>

/** A caller who starts a session may ask for less than the agent file allows, never for more. */
export function narrowedLimits(limits: Limits, wanted: WantedLimits): Limits {
  const chosen = chosenLimits(limits, wanted)
  for (const name of ['maxTurns', 'maxBudgetUsd', 'maxDurationMs'] as const) {
    if (chosen[name] <= limits[name]) continue
    const detail = `limits.${name} ${chosen[name]} is more than the agent file allows (${limits[name]})`
    throw new QuarterdeckError('request.invalid', detail)
  }
  return chosen
}

export const chosenLimits = (limits: Limits, wanted: WantedLimits): Limits => ({
  maxTurns: wanted.maxTurns ?? limits.maxTurns,
  maxBudgetUsd: wanted.maxBudgetUsd ?? limits.maxBudgetUsd,
  maxDurationMs: wanted.maxDurationMs ?? limits.maxDurationMs,
})

/** As an agent file may have it. */
const thinkingBudget = { least: 1000, most: 100_000 }

/** A session may think or not, whatever the file says; for how long is bounded. */
export function checkedThinking(wanted: Thinking): Thinking {
  if (wanted === null) return null
  const { least, most } = thinkingBudget
  if (wanted.budgetTokens >= least && wanted.budgetTokens <= most) return wanted
  throw new QuarterdeckError('request.invalid', `thinking.budgetTokens must be between ${least} and ${most}`)
}
