import { oversightRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export function mountOversightRoutes(mount: Mount): void {
  mountRoute(mount, oversightRoutes.inbox, ({ sessions }) => sessions.inbox())
  mountRoute(mount, oversightRoutes.queue, ({ sessions }) => sessions.queue())
  mountRoute(mount, oversightRoutes.warm, async ({ sessions, params }) => ({
    isReady: await sessions.warm(params.name),
  }))
  mountRoute(mount, oversightRoutes.audit, async ({ sessions, query }) => ({
    entries: [...(await sessions.audit(query.after, query.limit))],
  }))
  mountRoute(mount, oversightRoutes.verifyAudit, ({ sessions }) => sessions.verifyAudit())
}
