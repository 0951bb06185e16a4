import type { SessionService } from '@quarterdeck/engine'
import { clientRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export function mountClientRoutes(mount: Mount, sessions: SessionService): void {
  mountRoute(mount, clientRoutes.attach, ({ params, body, by }) => sessions.attachClient(params.sessionId, body, by))
  mountRoute(mount, clientRoutes.detach, ({ params, by }) =>
    sessions.detachClient(params.sessionId, params.clientId, by),
  )
  mountRoute(mount, clientRoutes.calls, ({ params }) => sessions.clientCalls(params.sessionId))
  mountRoute(mount, clientRoutes.giveBack, ({ params, body, by }) => sessions.returnClientCall(params.callId, body, by))
}
