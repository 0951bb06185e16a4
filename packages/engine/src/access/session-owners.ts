import type { SessionId } from '@quarterdeck/protocol'
import type { EventStore } from '../store/ports/event-store.ts'

/** A session's owner never changes, so it is read once; this many are remembered. */
const remembered = 10_000

export interface SessionOwners {
  /** `null` for a session that is not there. */
  ownerOf(sessionId: SessionId): Promise<string | null>
}

export function createSessionOwners(store: Pick<EventStore, 'load'>): SessionOwners {
  const owners = new Map<SessionId, string>()
  return {
    async ownerOf(sessionId) {
      const known = owners.get(sessionId)
      if (known !== undefined) return known
      const state = await store.load(sessionId)
      if (state === null) return null
      const [oldest] = owners.keys()
      if (oldest !== undefined && owners.size >= remembered) owners.delete(oldest)
      owners.set(sessionId, state.owner)
      return state.owner
    },
  }
}
