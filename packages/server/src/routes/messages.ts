import type { SessionService } from '@quarterdeck/engine'
import { messageRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export function mountMessageRoutes(mount: Mount, sessions: SessionService): void {
  mountRoute(mount, messageRoutes.send, ({ params, body, by, seed }) =>
    sessions.send(params.sessionId, { ...body, seed }, by),
  )
  mountRoute(mount, messageRoutes.list, async ({ params }) => ({
    messages: [...(await sessions.messages(params.sessionId))],
  }))
  mountRoute(mount, messageRoutes.edit, ({ params, body, by }) => sessions.editMessage(params, body.content, by))
  mountRoute(mount, messageRoutes.cancel, ({ params, by }) => sessions.cancelMessage(params, by))
  mountRoute(mount, messageRoutes.promote, ({ params, body = {}, by }) => sessions.promoteMessage(params, body, by))
}
