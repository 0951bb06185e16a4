import type { AgentRegistry } from '@quarterdeck/engine'
import { type ModelSummary, mayDo, serverRoutes } from '@quarterdeck/protocol'
import type { ServedCompatListener } from '../compat-listeners/compat-listener-plan.ts'
import type { AskedModels } from '../models/served-models.ts'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export interface ServerInfoDeps {
  readonly agents: AgentRegistry
  readonly models: (asked: AskedModels) => Promise<readonly ModelSummary[]>
  readonly version: string
  readonly dataDir: string
  /** The open compatibility listeners. */
  readonly compatListeners: () => readonly ServedCompatListener[]
  /** Throws while new work is refused. */
  readonly requireReady: () => Promise<void>
}

export function mountServerRoutes(mount: Mount, deps: ServerInfoDeps): void {
  const { agents, models, version, dataDir, compatListeners, requireReady } = deps
  mountRoute(mount, serverRoutes.health, async () => ({
    status: 'healthy' as const,
    service: 'quarterdeck' as const,
    version,
  }))
  mountRoute(mount, serverRoutes.ready, async () => {
    await requireReady()
    return { status: 'ready' as const }
  })
  mountRoute(mount, serverRoutes.info, async ({ by, scope }) => {
    const usesSimulator = (await agents.list()).some((agent) => agent.modelSource === 'simulator')
    return {
      version,
      usesSimulator,
      principal: by,
      dataFolder: mayDo(scope, 'manage') ? dataDir : null,
      compatListeners: [...compatListeners()],
    }
  })
  mountRoute(mount, serverRoutes.agents, async () => ({ agents: [...(await agents.list())] }))
  mountRoute(mount, serverRoutes.models, async ({ sessions, query }) => ({
    models: [...(await models({ agent: query.agent, sessions }))],
  }))
}
