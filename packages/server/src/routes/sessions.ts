import type { SessionService } from '@quarterdeck/engine'
import { sessionRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export function mountSessionRoutes(mount: Mount, sessions: SessionService): void {
  mountRoute(mount, sessionRoutes.create, ({ body, by, seed }) => sessions.create(body, by, seed))
  mountRoute(mount, sessionRoutes.list, ({ query }) => sessions.list(query))
  mountRoute(mount, sessionRoutes.get, ({ params }) => sessions.snapshot(params.sessionId))
  mountRoute(mount, sessionRoutes.interrupt, ({ params, by }) => sessions.interrupt(params.sessionId, by))
  mountRoute(mount, sessionRoutes.cancel, ({ params, by }) => sessions.cancel(params.sessionId, by))
  mountRoute(mount, sessionRoutes.close, ({ params, by }) => sessions.close(params.sessionId, by))
}
