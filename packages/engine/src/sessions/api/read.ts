// Reads that need only the store, so that they also work on the data folder of a running server.
import {
  type InboxItem,
  isOutOfOwnMoney,
  parseCursor,
  type QueuePosition,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
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

  const waitingSessions = async (sessionId: SessionId | undefined): Promise<readonly SessionState[]> => {
    if (sessionId === undefined) return store.listWaiting()
    const session = await store.load(sessionId)
    return session === null ? [] : [session]
  }

  return {
    async getSession(sessionId) {
      const session = requireSession(await store.load(sessionId))
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
      const session = requireSession(await store.load(sessionId))
      const after = parseCursor(cursor)
      requireCursor(session, after)
      const events = await store.read(sessionId, after, limit)
      const end = events.at(-1)?.seq ?? after
      return { events: [...events], lastSeq: end, hasMore: end < session.seq }
    },

    async history(sessionId) {
      requireSession(await store.load(sessionId))
      return readHistory(store, sessionId)
    },

    async listApprovals({ session }) {
      const approvals = (await waitingSessions(session)).flatMap(({ agentName, title, approvals: open }) =>
        open.map((approval) => ({ ...approval, agentName, title })),
      )
      return { approvals: approvals.sort(byTime) }
    },

    async listQuestions({ session }) {
      const questions = (await waitingSessions(session)).flatMap(({ agentName, title, questions: open }) =>
        open.map((question) => ({ ...question, agentName, title })),
      )
      return { questions: questions.sort(byTime) }
    },

    async inbox() {
      const [waiting, stopped] = await Promise.all([store.listWaiting(), store.listByStatus(['stopped_budget'])])
      return { items: [...waiting.flatMap(openAsks), ...stopped.map(stoppedBudget)].sort(byTime) }
    },

    follow: (sessionId, after, signal) => followSession(options, { sessionId, after, signal }),
    feed: (from, sink) => feedSession(options, from, sink),
  } satisfies Partial<SessionOperations>
}

/** The longest waiting first. */
const byTime = (one: { readonly at: string }, other: { readonly at: string }): number =>
  one.at < other.at ? -1 : one.at > other.at ? 1 : 0

function openAsks({ sessionId, agentName, title, approvals, questions }: SessionState): readonly InboxItem[] {
  const about = { sessionId, agentName, title }
  return [
    ...approvals.map((approval) => ({ type: 'approval' as const, at: approval.at, ...about, approval })),
    ...questions.map((question) => ({ type: 'question' as const, at: question.at, ...about, question })),
  ]
}

function stoppedBudget(session: SessionState): InboxItem {
  const { sessionId, agentName, title, costUsd, limits, statusReason, stoppedSum, stoppedBudgetId } = session
  const isOwnLimit = isOutOfOwnMoney(session)
  const reason = isOwnLimit || statusReason === null ? 'the limit of this session is reached' : statusReason
  // A budget in units has no dollar amounts: its reason names the units.
  const { spent, limit } = stoppedSum?.unit === 'usd' ? stoppedSum : { spent: costUsd, limit: limits.maxBudgetUsd }
  const budget = stoppedBudgetId === undefined ? {} : { budgetId: stoppedBudgetId }
  const money = { spentUsd: spent, limitUsd: limit, reason, isOwnLimit, ...budget }
  return { type: 'budget', at: session.stoppedAt ?? session.updatedAt, sessionId, agentName, title, ...money }
}
