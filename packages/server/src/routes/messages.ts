import { messageRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountMessageRoutes(mount: Mount): void {
  mountRoute(mount, messageRoutes.send, ({ sessions, params, body, by, seed }) =>
    sessions.send(params.sessionId, { ...body, seed }, by),
  )
  mountRoute(mount, messageRoutes.list, async ({ sessions, params }) => ({
    messages: [...(await sessions.messages(params.sessionId))],
  }))
  mountRoute(mount, messageRoutes.edit, ({ sessions, params, body, by }) =>
    sessions.editMessage(params, body.content, by),
  )
  mountRoute(mount, messageRoutes.cancel, ({ sessions, params, by }) => sessions.cancelMessage(params, by))
  mountRoute(mount, messageRoutes.promote, ({ sessions, params, body = {}, by }) =>
    sessions.promoteMessage(params, body, by),
  )
}
