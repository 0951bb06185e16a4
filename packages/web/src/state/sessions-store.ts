import type { Client, ListSessionsQuery, QuarterdeckError, SessionState } from '@quarterdeck/protocol'
import { createCell, type Store } from './cell.ts'
import { failureOf } from './failure.ts'
import { type PollOptions, poll } from './poll.ts'

export interface SessionsView {
  /** `null` until the first page is there. */
  readonly sessions: readonly SessionState[] | null
  readonly nextCursor: string | null
  readonly failure: QuarterdeckError | null
  readonly isLoadingMore: boolean
  /** Sessions that began since: they wait for `applyNews`, so that no row moves under the pointer. */
  readonly news: readonly SessionState[]
}

export interface SessionsStore extends Store<SessionsView> {
  refresh(): Promise<void>
  loadMore(): Promise<void>
  applyNews(): void
}

export interface SessionsStoreOptions {
  readonly client: Client
  readonly query?: ListSessionsQuery
  readonly poll?: Partial<PollOptions>
  /** Rows that nobody points at (the rail) may take their place at once. */
  readonly appliesNews?: boolean
}

/** The list, kept current while somebody watches it. */
export function createSessionsStore(options: SessionsStoreOptions): SessionsStore {
  const { client, query = {} } = options
  const cell = createCell<SessionsView>(
    { sessions: null, nextCursor: null, failure: null, isLoadingMore: false, news: [] },
    { onWatched: () => poll(refresh, { everyMs: 3000, ...options.poll }) },
  )

  async function refresh(): Promise<void> {
    try {
      const page = await client.listSessions(query)
      const { sessions } = cell.getSnapshot()
      if (sessions === null) return cell.update({ sessions: page.sessions, nextCursor: page.nextCursor, failure: null })
      const fresh = new Map(page.sessions.map((session) => [session.sessionId, session]))
      const known = new Set(sessions.map(({ sessionId }) => sessionId))
      cell.update({
        sessions: sessions.map((session) => fresh.get(session.sessionId) ?? session),
        news: page.sessions.filter(({ sessionId }) => !known.has(sessionId)),
        failure: null,
      })
      if (options.appliesNews === true) applyNews()
    } catch (error) {
      cell.update({ failure: failureOf(error) })
    }
  }

  async function loadMore(): Promise<void> {
    const { nextCursor, isLoadingMore } = cell.getSnapshot()
    if (nextCursor === null || isLoadingMore) return
    cell.update({ isLoadingMore: true })
    try {
      const page = await client.listSessions({ ...query, cursor: nextCursor })
      const { sessions } = cell.getSnapshot()
      const known = new Set(sessions?.map(({ sessionId }) => sessionId))
      const more = page.sessions.filter(({ sessionId }) => !known.has(sessionId))
      cell.update({ sessions: [...(sessions ?? []), ...more], nextCursor: page.nextCursor, isLoadingMore: false })
    } catch (error) {
      cell.update({ failure: failureOf(error), isLoadingMore: false })
    }
  }

  function applyNews(): void {
    const { sessions, news } = cell.getSnapshot()
    if (news.length > 0) cell.update({ sessions: [...news, ...(sessions ?? [])], news: [] })
  }

  return {
    getSnapshot: cell.getSnapshot,
    subscribe: cell.subscribe,
    refresh,
    loadMore,
    applyNews,
  }
}
