import type { SessionService } from '@quarterdeck/engine'
import { oversightRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export function mountOversightRoutes(mount: Mount, sessions: SessionService): void {
  mountRoute(mount, oversightRoutes.inbox, () => sessions.inbox())
  mountRoute(mount, oversightRoutes.queue, () => sessions.queue())
  mountRoute(mount, oversightRoutes.warm, async ({ params }) => ({ isReady: await sessions.warm(params.name) }))
  mountRoute(mount, oversightRoutes.audit, async ({ query }) => ({
    entries: [...(await sessions.audit(query.after, query.limit))],
  }))
  mountRoute(mount, oversightRoutes.verifyAudit, () => sessions.verifyAudit())
}
