import { sessionRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountSessionRoutes(mount: Mount): void {
  mountRoute(mount, sessionRoutes.create, ({ sessions, body, by, seed }) => sessions.createSession(body, by, seed))
  mountRoute(mount, sessionRoutes.list, ({ sessions, query }) => sessions.listSessions(query))
  mountRoute(mount, sessionRoutes.get, ({ sessions, params }) => sessions.getSession(params.sessionId))
  mountRoute(mount, sessionRoutes.interrupt, ({ sessions, params, by }) => sessions.interrupt(params.sessionId, by))
  mountRoute(mount, sessionRoutes.cancel, ({ sessions, params, by }) => sessions.cancel(params.sessionId, by))
  mountRoute(mount, sessionRoutes.close, ({ sessions, params, by }) => sessions.close(params.sessionId, by))
  mountRoute(mount, sessionRoutes.change, ({ sessions, params, body, by }) =>
    sessions.changeSession(params.sessionId, body, by),
  )
  mountRoute(mount, sessionRoutes.remove, ({ sessions, params, by }) => sessions.deleteSession(params.sessionId, by))
  mountRoute(mount, sessionRoutes.pause, ({ sessions, params, by }) => sessions.pause(params.sessionId, by))
  mountRoute(mount, sessionRoutes.resume, ({ sessions, params, by }) => sessions.resume(params.sessionId, by))
  mountRoute(mount, sessionRoutes.fork, ({ sessions, params, body, by, seed }) =>
    sessions.fork(params.sessionId, { ...body }, by, seed),
  )
  mountRoute(mount, sessionRoutes.rewind, ({ sessions, params, body, by }) =>
    sessions.rewind(params.sessionId, body, by),
  )
  mountRoute(mount, sessionRoutes.wake, ({ sessions, params }) => sessions.wake(params.sessionId))
  mountRoute(mount, sessionRoutes.capabilities, ({ sessions, params }) => sessions.capabilities(params.sessionId))
  mountRoute(mount, sessionRoutes.history, ({ sessions, params }) => sessions.history(params.sessionId))
  mountRoute(mount, sessionRoutes.messageSubagent, ({ sessions, params, body, by, seed }) =>
    sessions.messageSubagent(params.sessionId, params.agentId, { content: body.content }, by, seed),
  )
  mountRoute(mount, sessionRoutes.revokeRule, ({ sessions, params, body, by }) =>
    sessions.revokeRule(params.sessionId, body, by),
  )
}
