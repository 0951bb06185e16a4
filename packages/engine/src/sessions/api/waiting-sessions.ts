import type { SessionId, SessionState } from '@quarterdeck/protocol'
import type { EventStore } from '../../store/ports/event-store.ts'

/** Sessions in which somebody may be waited for: one, or all that have an open ask. An unknown one asks nothing. */
export async function waitingSessions(
  store: Pick<EventStore, 'load' | 'listWaiting'>,
  sessionId: SessionId | undefined,
): Promise<readonly SessionState[]> {
  if (sessionId === undefined) return store.listWaiting()
  const session = await store.load(sessionId)
  return session === null ? [] : [session]
}

/** The longest waiting first. */
export const byTime = (one: { readonly at: string }, other: { readonly at: string }): number =>
  one.at < other.at ? -1 : one.at > other.at ? 1 : 0
