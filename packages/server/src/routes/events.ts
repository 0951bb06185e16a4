import type { SessionService } from '@quarterdeck/engine'
import { eventRoutes, parseCursor, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { honoPath, type Mount, readCall, requirePermission } from '../routing/mount-route.ts'
import { openSse } from '../transports/open-sse.ts'
import type { StreamDeps } from '../transports/stream-deps.ts'

/** One address with two forms: a page of events, or a stream that replays and then follows. */
export function mountEventRoutes(mount: Mount, deps: StreamDeps): void {
  mount.app.get(honoPath(eventRoutes.read.path), async (c) => {
    requirePermission(c, eventRoutes.read)
    const { params, query } = readCall(c, eventRoutes.read, '')
    const sessions = mount.sessionsOf(c.get('principal'))
    c.header('vary', 'accept', { append: true })
    if (!wantsStream(c)) {
      const after = await readCursor(sessions, params.sessionId, query.after)
      c.header('cache-control', 'no-store')
      return c.json(await sessions.events(params.sessionId, after, query.limit))
    }
    refuseLimit(c)
    const after = await readCursor(sessions, params.sessionId, c.req.header('last-event-id') ?? query.after)
    const { sessionId } = params
    return openSse(c, deps, { feed: (sink, signal) => sessions.feed({ sessionId, after, signal }, sink) })
  })
}

const wantsStream = (c: Context<AppEnv>): boolean =>
  (c.req.header('accept') ?? '').toLowerCase().includes('text/event-stream')

/** The schema has a default page size, so only the URL tells whether one was requested. */
function refuseLimit(c: Context<AppEnv>): void {
  if (c.req.query('limit') === undefined) return
  const detail = 'query.limit: an event stream has no pages and no end: leave limit out, or ask for application/json'
  throw new QuarterdeckError('request.invalid', detail)
}

/** The `seq` after which to continue; 0 without a cursor. Throws for an invalid cursor and for one beyond the log. */
async function readCursor(sessions: SessionService, sessionId: SessionId, text: string | undefined): Promise<number> {
  const { session } = await sessions.snapshot(sessionId)
  const after = text === undefined ? 0 : parseCursor(text)
  if (after === undefined) {
    throw new QuarterdeckError('cursor.malformed', `${JSON.stringify(text)} is not a cursor: use the seq of an event`)
  }
  if (after <= session.seq) return after
  const snapshot = `/v1/sessions/${sessionId}`
  throw new QuarterdeckError('cursor.beyond-log', `the log ends at ${session.seq}: start again from ${snapshot}`, {
    facts: { snapshot, lastSeq: session.seq },
  })
}
