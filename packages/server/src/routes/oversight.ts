import type { Engine } from '@quarterdeck/engine'
import { mayDo, oversightRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountOversightRoutes(mount: Mount, agentChanges: Engine['agentChanges']): void {
  mountRoute(mount, oversightRoutes.inbox, async ({ sessions, scope }) => ({
    ...(await sessions.inbox()),
    ...(mayDo(scope, 'manage') && { agentChanges: [...(await agentChanges.list())] }),
  }))
  mountRoute(mount, oversightRoutes.decideAgentChange, async ({ params, body, by }) => {
    await agentChanges.decide(params.name, body, by)
    return body
  })
  mountRoute(mount, oversightRoutes.queue, ({ sessions }) => sessions.queue())
  mountRoute(mount, oversightRoutes.warm, async ({ sessions, params }) => ({
    isReady: (await sessions.warmAgent(params.name)).isReady,
  }))
  mountRoute(mount, oversightRoutes.audit, async ({ sessions, query }) => ({
    entries: [...(await sessions.readAudit({ after: query.after, limit: query.limit })).entries],
  }))
  mountRoute(mount, oversightRoutes.verifyAudit, ({ sessions }) => sessions.verifyAudit())
}
