// The questions one can ask of the log without touching it.
import { type AgentStreamSnapshot, ListSessionsQuery, type QueuePosition, type SessionId } from '@quarterdeck/protocol'
import type { EventStore } from '../../store/ports/event-store.ts'
import { checkedInput } from '../rules/checked-input.ts'
import { requireCursor, requireSession } from '../rules/invariants.ts'
import type { SessionService } from '../session-service.ts'
import { byTime, waitingSessions } from './waiting-sessions.ts'

export type SessionReader = Pick<SessionService, 'snapshot' | 'list' | 'approvals' | 'events'>

export interface ReaderOptions {
  readonly store: EventStore
  /** Text in progress as this process has shown it, or `null` when it does not hold the session. */
  readonly openTexts: (sessionId: SessionId) => readonly AgentStreamSnapshot[] | null
  /** Where a session stands in line, if it waits. */
  readonly queuePosition: (sessionId: SessionId) => QueuePosition | null
}

export function createReadOperations({ store, openTexts, queuePosition }: ReaderOptions): SessionReader {
  return {
    async snapshot(sessionId) {
      const session = requireSession(await store.load(sessionId))
      const texts = openTexts(sessionId) ?? (await store.openTexts(sessionId))
      return { session, openTexts: [...texts], queuePosition: queuePosition(sessionId) }
    },

    async list(input) {
      const { agent, status, tag, owner, text, archived, limit, cursor } = checkedInput(ListSessionsQuery, input)
      const filter = {
        ...(agent === undefined ? {} : { agentName: agent }),
        ...(status === undefined ? {} : { status }),
        ...(tag === undefined ? {} : { tag }),
        ...(owner === undefined ? {} : { owner }),
        ...(text === undefined ? {} : { text }),
        archived: archived === 'all' ? ('all' as const) : archived === 'true',
      }
      const page = await store.list(filter, cursor === undefined ? { limit } : { limit, cursor })
      return { sessions: [...page.sessions], nextCursor: page.nextCursor }
    },

    async approvals(sessionId) {
      const waiting = await waitingSessions(store, sessionId)
      const approvals = waiting.flatMap(({ agentName, title, approvals: open }) =>
        open.map((approval) => ({ ...approval, agentName, title })),
      )
      return { approvals: approvals.sort(byTime) }
    },

    async events(sessionId, after, limit) {
      const session = requireSession(await store.load(sessionId))
      requireCursor(session, after)
      const events = await store.read(sessionId, after, limit)
      const end = events.at(-1)?.seq ?? after
      return { events: [...events], lastSeq: end, hasMore: end < session.seq }
    },
  }
}
