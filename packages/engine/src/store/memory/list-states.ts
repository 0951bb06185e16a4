import type { SessionState } from '@quarterdeck/protocol'
import type { SessionFilter, SessionListPage } from '../event-store.ts'
import { decodeListCursor, encodeListCursor, type ListPlace } from '../list-cursor.ts'

export function listStates(
  states: readonly SessionState[],
  filter: SessionFilter,
  { limit, cursor }: { limit: number; cursor?: string },
): SessionListPage {
  const after = cursor === undefined ? null : decodeListCursor(cursor)
  const found = states
    .filter((state) => matches(state, filter) && (after === null || comesFirst(after, state)))
    .sort((one, other) => (comesFirst(one, other) ? -1 : 1))
  const sessions = found.slice(0, limit)
  const last = sessions.at(-1)
  return { sessions, nextCursor: last !== undefined && found.length > limit ? encodeListCursor(last) : null }
}

function matches(state: SessionState, { status, agentName, tag }: SessionFilter): boolean {
  if (status !== undefined && state.status !== status) return false
  if (agentName !== undefined && state.agentName !== agentName) return false
  return tag === undefined || state.tags.includes(tag)
}

/** Newest first; the id settles a tie. */
function comesFirst(one: ListPlace, other: ListPlace): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt > other.createdAt
  return one.sessionId > other.sessionId
}
