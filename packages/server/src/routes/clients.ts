import { clientRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountClientRoutes(mount: Mount): void {
  mountRoute(mount, clientRoutes.attach, ({ sessions, params, body, by }) =>
    sessions.attachClient(params.sessionId, body, by),
  )
  mountRoute(mount, clientRoutes.detach, ({ sessions, params, by }) =>
    sessions.detachClient(params.sessionId, params.clientId, by),
  )
  mountRoute(mount, clientRoutes.calls, ({ sessions, params }) => sessions.listClientCalls(params.sessionId))
  mountRoute(mount, clientRoutes.giveBack, ({ sessions, params, body, by }) =>
    sessions.returnClientCall(params.callId, body, by),
  )
}
