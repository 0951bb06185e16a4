import { messageRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountMessageRoutes(mount: Mount): void {
  mountRoute(mount, messageRoutes.send, ({ sessions, params, body, by, seed }) =>
    sessions.sendMessage(params.sessionId, { ...body }, by, seed),
  )
  mountRoute(mount, messageRoutes.list, async ({ sessions, params }) => ({
    messages: [...(await sessions.listMessages(params.sessionId)).messages],
  }))
  mountRoute(mount, messageRoutes.edit, ({ sessions, params, body, by }) =>
    sessions.editMessage(params.sessionId, params.messageId, { content: body.content }, by),
  )
  mountRoute(mount, messageRoutes.cancel, ({ sessions, params, by }) =>
    sessions.cancelMessage(params.sessionId, params.messageId, by),
  )
  mountRoute(mount, messageRoutes.promote, ({ sessions, params, body = {}, by }) =>
    sessions.promoteMessage(params.sessionId, params.messageId, body, by),
  )
}
