import type { SessionState } from '@quarterdeck/protocol'
import type { SessionFilter, SessionListPage } from '../ports/event-store.ts'
import { foldTitle } from '../sql/log/fold-title.ts'
import { comesFirst, decodeListCursor, encodeListCursor } from '../sql/log/list-cursor.ts'

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

function matches(state: SessionState, filter: SessionFilter): boolean {
  const { status, agentName, tag, owner, archived, hibernated, text } = filter
  if (archived !== 'all' && state.isArchived !== (archived ?? false)) return false
  if (status !== undefined && state.status !== status) return false
  if (agentName !== undefined && state.agentName !== agentName) return false
  if (owner !== undefined && state.owner !== owner) return false
  if (hibernated !== undefined && state.isHibernated !== hibernated) return false
  if (text !== undefined && !foldTitle(state.title).includes(foldTitle(text))) return false
  return tag === undefined || state.tags.includes(tag)
}
