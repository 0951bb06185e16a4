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
  mountRoute(mount, sessionRoutes.change, ({ params, body, by }) => sessions.change(params.sessionId, body, by))
  mountRoute(mount, sessionRoutes.remove, ({ params, by }) => sessions.remove(params.sessionId, by))
  mountRoute(mount, sessionRoutes.pause, ({ params, by }) => sessions.pause(params.sessionId, by))
  mountRoute(mount, sessionRoutes.resume, ({ params, by }) => sessions.resume(params.sessionId, by))
  mountRoute(mount, sessionRoutes.fork, ({ params, body, by, seed }) =>
    sessions.fork(params.sessionId, { ...body, seed }, by),
  )
  mountRoute(mount, sessionRoutes.rewind, ({ params, body, by }) => sessions.rewind(params.sessionId, body, by))
  mountRoute(mount, sessionRoutes.wake, ({ params }) => sessions.wake(params.sessionId))
  mountRoute(mount, sessionRoutes.capabilities, ({ params }) => sessions.capabilities(params.sessionId))
  mountRoute(mount, sessionRoutes.history, ({ params }) => sessions.history(params.sessionId))
  mountRoute(mount, sessionRoutes.messageSubagent, ({ params, body, by, seed }) =>
    sessions.messageSubagent(params, { content: body.content, seed }, by),
  )
  mountRoute(mount, sessionRoutes.revokeRule, ({ params, body, by }) => sessions.revokeRule(params.sessionId, body, by))
}
