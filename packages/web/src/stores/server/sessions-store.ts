import type { Client } from '@quarterdeck/client'
import type { ListSessionsQuery, QuarterdeckError, SessionState } from '@quarterdeck/protocol'
import { failureOf } from '../primitives/failure.ts'
import { type PollOptions, poll } from '../primitives/poll.ts'
import { createStore } from '../primitives/store.ts'

export interface SessionsView {
  /** `null` until the first page is loaded. */
  readonly sessions: readonly SessionState[] | null
  readonly nextCursor: string | null
  readonly failure: QuarterdeckError | null
  readonly isLoadingMore: boolean
  /** New sessions. They wait for `showArrived`, so that no row moves under the pointer. */
  readonly arrived: readonly SessionState[]
}

export type SessionsStore = ReturnType<typeof createSessionsStore>

export interface SessionsStoreOptions {
  readonly client: Client
  readonly query?: ListSessionsQuery
  readonly poll?: Partial<PollOptions>
  /** Shows new sessions at once, for lists without a pointer (the rail). */
  readonly showsArrivedAtOnce?: boolean
}

/** A list of sessions that is refreshed while it is watched. */
export function createSessionsStore(options: SessionsStoreOptions) {
  const { client, query = {} } = options
  const store = createStore<SessionsView>(
    { sessions: null, nextCursor: null, failure: null, isLoadingMore: false, arrived: [] },
    { onWatched: () => poll(refresh, { everyMs: 3000, ...options.poll }) },
  )

  async function refresh(): Promise<void> {
    try {
      const page = await client.listSessions(query)
      const { sessions } = store.getSnapshot()
      if (sessions === null)
        return store.update({ sessions: page.sessions, nextCursor: page.nextCursor, failure: null })
      const fresh = new Map(page.sessions.map((session) => [session.sessionId, session]))
      const known = new Set(sessions.map(({ sessionId }) => sessionId))
      store.update({
        sessions: sessions.map((session) => fresh.get(session.sessionId) ?? session),
        arrived: page.sessions.filter(({ sessionId }) => !known.has(sessionId)),
        failure: null,
      })
      if (options.showsArrivedAtOnce === true) showArrived()
    } catch (error) {
      store.update({ failure: failureOf(error) })
    }
  }

  async function loadMore(): Promise<void> {
    const { nextCursor, isLoadingMore } = store.getSnapshot()
    if (nextCursor === null || isLoadingMore) return
    store.update({ isLoadingMore: true })
    try {
      const page = await client.listSessions({ ...query, cursor: nextCursor })
      const { sessions } = store.getSnapshot()
      const known = new Set(sessions?.map(({ sessionId }) => sessionId))
      const more = page.sessions.filter(({ sessionId }) => !known.has(sessionId))
      store.update({ sessions: [...(sessions ?? []), ...more], nextCursor: page.nextCursor, isLoadingMore: false })
    } catch (error) {
      store.update({ failure: failureOf(error), isLoadingMore: false })
    }
  }

  function showArrived(): void {
    const { sessions, arrived } = store.getSnapshot()
    if (arrived.length > 0) store.update({ sessions: [...arrived, ...(sessions ?? [])], arrived: [] })
  }

  return { getSnapshot: store.getSnapshot, subscribe: store.subscribe, refresh, loadMore, showArrived }
}
