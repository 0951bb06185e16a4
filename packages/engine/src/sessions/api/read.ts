// Reads that need only the store, so that they also work on the data folder of a running server.
import { parseCursor, type QueuePosition, type SessionId } from '@quarterdeck/protocol'
import { requireCursor, requireSession } from '../rules/invariants.ts'
import type { SessionOperations } from '../session-service.ts'
import { type FeedDependencies, feedSession } from '../streaming/feed-session.ts'
import { followSession } from '../streaming/follow-session.ts'
import { readHistory } from './read-history.ts'

export interface ReadDependencies extends FeedDependencies {
  /** `null` for a session that is not queued. */
  readonly queuePosition: (sessionId: SessionId) => QueuePosition | null
}

export function createReadOperations(options: ReadDependencies) {
  const { store, openTexts, queuePosition } = options

  return {
    async getSession(sessionId) {
      const session = requireSession(await store.load(sessionId), sessionId)
      const texts = openTexts(sessionId) ?? (await store.openTexts(sessionId))
      return { session, openTexts: [...texts], queuePosition: queuePosition(sessionId) }
    },

    async listSessions({ agent, status, tag, owner, text, archived, limit, cursor }) {
      const filter = {
        agentName: agent,
        status,
        tag,
        owner,
        text,
        archived: archived === 'all' ? ('all' as const) : archived === 'true',
      }
      const page = await store.list(filter, cursor === undefined ? { limit } : { limit, cursor })
      return { sessions: [...page.sessions], nextCursor: page.nextCursor }
    },

    async readEvents(sessionId, { after: cursor = '0', limit }) {
      const session = requireSession(await store.load(sessionId), sessionId)
      const after = parseCursor(cursor)
      requireCursor(session, after)
      const events = await store.read(sessionId, after, limit)
      const end = events.at(-1)?.seq ?? after
      return { events: [...events], lastSeq: end, hasMore: end < session.seq }
    },

    async history(sessionId) {
      requireSession(await store.load(sessionId), sessionId)
      return readHistory(store, sessionId)
    },

    follow: (sessionId, after, signal) => followSession(options, { sessionId, after, signal }),
    feed: (from, sink) => feedSession(options, from, sink),
  } satisfies Partial<SessionOperations>
}
