// The models that a client may use: those of one agent, or of all served agents.
import type { AgentRegistry, SessionService } from '@quarterdeck/engine'
import { autoModel, type CatalogModel, type ModelSummary, modelAliasesFor, modelsForAgent } from '@quarterdeck/protocol'
import { listModels } from './list-models.ts'

export interface AskedModels {
  /** Only the models of this agent. */
  readonly agent?: string | undefined
  /** The session service of the caller: its budgets decide which models are available. */
  readonly sessions: Pick<SessionService, 'listBudgets'>
}

export async function servedModels(
  { agents, catalog }: { readonly agents: AgentRegistry; readonly catalog: readonly CatalogModel[] },
  { agent: name, sessions }: AskedModels,
): Promise<readonly ModelSummary[]> {
  if (name === undefined) {
    const budgets = (await sessions.listBudgets({})).budgets
    // A budget of one agent does not affect the others.
    const ofWhichever = budgets.filter(({ scope, subject }) => scope !== 'agent' || subject === '*')
    return listModels(await wholeCatalog(agents, catalog), ofWhichever)
  }
  const agent = await agents.load(name)
  const budgets = (await sessions.listBudgets({ agentName: agent.name })).budgets
  const models = listModels(modelsForAgent(await agents.catalog(agent.name), agent), budgets)
  const hasAuto = modelAliasesFor(agent).includes(autoModel)
  return models.filter(({ id }) => id !== autoModel || hasAuto)
}

/** Includes models that agents name: those of other providers and of their own config.yaml. */
export async function wholeCatalog(
  agents: AgentRegistry,
  catalog: readonly CatalogModel[],
): Promise<readonly CatalogModel[]> {
  const models = new Map(catalog.map((model) => [model.id, model]))
  for (const { name } of await agents.list()) {
    for (const model of await agents.catalog(name)) if (!models.has(model.id)) models.set(model.id, model)
  }
  return [...models.values()]
}
