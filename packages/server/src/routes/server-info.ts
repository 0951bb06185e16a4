import type { AgentShelf } from '@quarterdeck/engine'
import {
  autoModel,
  type CatalogModel,
  modelCatalog,
  modelsForAgent,
  modelWordsFor,
  serverRoutes,
} from '@quarterdeck/protocol'
import type { ServedDoor } from '../doors/door-plan.ts'
import { listModels } from './list-models.ts'
import { type Mount, mountRoute } from './mount-route.ts'

export interface ServerInfoDeps {
  readonly agents: AgentShelf
  /** As the server's own config.yaml has it; the plain one unless said. */
  readonly catalog?: readonly CatalogModel[]
  readonly version: string
  readonly dataDir: string
  /** Those that are open. */
  readonly doors: () => readonly ServedDoor[]
  /** Throws while new work cannot be taken. */
  readonly requireReady: () => Promise<void>
}

export function mountServerRoutes(mount: Mount, deps: ServerInfoDeps): void {
  const { agents, catalog = modelCatalog, version, dataDir, doors, requireReady } = deps
  mountRoute(mount, serverRoutes.health, async () => ({
    status: 'healthy' as const,
    service: 'quarterdeck' as const,
    version,
  }))
  mountRoute(mount, serverRoutes.ready, async () => {
    await requireReady()
    return { status: 'ready' as const }
  })
  mountRoute(mount, serverRoutes.info, async ({ by }) => {
    const usesSimulator = (await agents.list()).some((agent) => agent.modelSource === 'simulator')
    return { version, usesSimulator, principal: by, dataFolder: dataDir, doors: [...doors()] }
  })
  mountRoute(mount, serverRoutes.agents, async () => ({ agents: [...(await agents.list())] }))
  mountRoute(mount, serverRoutes.models, async ({ sessions, query }) => {
    const budgets = await sessions.budgets()
    if (query.agent === undefined) return { models: listModels(await wholeCatalog(agents, catalog), budgets) }
    const agent = await agents.load(query.agent)
    const models = listModels(modelsForAgent(await agents.catalog(agent.name), agent), budgets)
    const hasAuto = modelWordsFor(agent).includes(autoModel)
    return { models: models.filter(({ id }) => id !== autoModel || hasAuto) }
  })
}

/** With what the agents here name beside it: models of other providers, and those of their own config.yaml. */
export async function wholeCatalog(
  agents: AgentShelf,
  catalog: readonly CatalogModel[],
): Promise<readonly CatalogModel[]> {
  const models = new Map(catalog.map((model) => [model.id, model]))
  for (const { name } of await agents.list()) {
    for (const model of await agents.catalog(name)) if (!models.has(model.id)) models.set(model.id, model)
  }
  return [...models.values()]
}
