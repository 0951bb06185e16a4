import type { AgentShelf } from '@quarterdeck/engine'
import { modelCatalog, serverRoutes, tierMultiplier } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export interface ServerInfoDeps {
  readonly agents: AgentShelf
  readonly version: string
  readonly dataDir: string
  /** Throws while new work cannot be taken. */
  readonly requireReady: () => Promise<void>
}

export function mountServerRoutes(mount: Mount, { agents, version, dataDir, requireReady }: ServerInfoDeps): void {
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
    return { version, usesSimulator, principal: by, dataFolder: dataDir }
  })
  mountRoute(mount, serverRoutes.agents, async () => ({ agents: [...(await agents.list())] }))
  mountRoute(mount, serverRoutes.models, async () => ({
    models: modelCatalog.map(({ id, label, tier, price, contextWindow, use, runsAs }) => ({
      ...{ id, label, tier, price, contextWindow, use },
      multiplier: tierMultiplier[tier],
      runsAs: runsAs ?? null,
    })),
  }))
}
