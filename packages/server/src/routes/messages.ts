import type { SessionService } from '@quarterdeck/engine'
import { messageRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export function mountMessageRoutes(mount: Mount, sessions: SessionService): void {
  mountRoute(mount, messageRoutes.send, ({ params, body, by, seed }) =>
    sessions.send(params.sessionId, { content: body.content, seed }, by),
  )
}
