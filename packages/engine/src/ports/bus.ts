// Live fan-out between whoever writes a session and whoever watches it. In-process now; narrow enough for a network.
import type { SessionId, StreamedEvent } from '@quarterdeck/protocol'

export interface Bus {
  /** Calls every listener in the order they came, before it returns. A listener must not throw. */
  publish(sessionId: SessionId, events: readonly StreamedEvent[]): void
  /** Called for everything published after this returns. The returned function ends it. */
  subscribe(sessionId: SessionId, listener: Listener): () => void
  /** The session is deleted: nothing will be published any more. Calls every listener with `null`. */
  end(sessionId: SessionId): void
  /** How many listen: leak tests read it. */
  listenerCount(): number
}

export type Listener = (events: readonly StreamedEvent[] | null) => void

export function createBus(): Bus {
  const listeners = new Map<SessionId, Set<Listener>>()
  return {
    publish(sessionId, events) {
      for (const listener of listeners.get(sessionId) ?? []) listener(events)
    },
    end(sessionId) {
      for (const listener of listeners.get(sessionId) ?? []) listener(null)
    },
    subscribe(sessionId, listener) {
      const set = listeners.get(sessionId) ?? new Set()
      listeners.set(sessionId, set.add(listener))
      return () => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(sessionId)
      }
    },
    listenerCount: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  }
}
