import type { SessionService } from '@quarterdeck/engine'
import { operations, type Principal, parseCursor, QuarterdeckError, SessionId } from '@quarterdeck/protocol'
import type { Context, Hono } from 'hono'
import { requirePermission } from '../auth/require-permission.ts'
import type { AppEnv } from '../http/app-env.ts'
import { honoPath, readIds, readInput } from '../operations/mount-operations.ts'
import { openSse } from '../transports/open-sse.ts'
import type { StreamDeps } from '../transports/stream-deps.ts'

export interface EventRouteDeps extends StreamDeps {
  readonly sessionsOf: (principal: Principal) => SessionService
}

/** One address with two forms: a page of events, or a stream that replays and then follows. */
export function mountEventRoute(app: Hono<AppEnv>, deps: EventRouteDeps): void {
  const { readEvents } = operations
  app.get(honoPath(readEvents.path), async (c) => {
    requirePermission(c, readEvents)
    const sessionId = SessionId.parse(readIds(c, readEvents)[0])
    const { query } = readInput(c, readEvents, '')
    const sessions = deps.sessionsOf(c.get('principal'))
    c.header('vary', 'accept', { append: true })
    if (!wantsStream(c)) {
      c.header('cache-control', 'no-store')
      return c.json(await sessions.readEvents(sessionId, query))
    }
    refuseLimit(c)
    const cursor = c.req.header('last-event-id') ?? query.after ?? '0'
    // Refuses an unknown session and a wrong cursor while the response has not started.
    await sessions.readEvents(sessionId, { after: cursor, limit: 1 })
    const after = parseCursor(cursor)
    return openSse(c, deps, { feed: (sink, signal) => sessions.feed({ sessionId, after, signal }, sink) })
  })
}

const wantsStream = (c: Context<AppEnv>): boolean =>
  (c.req.header('accept') ?? '').toLowerCase().includes('text/event-stream')

/** The schema has a default page size, so only the URL shows whether one was requested. */
function refuseLimit(c: Context<AppEnv>): void {
  if (c.req.query('limit') === undefined) return
  const detail = 'query.limit: an event stream has no pages: leave limit out, or request application/json'
  throw new QuarterdeckError('request.invalid', detail)
}
