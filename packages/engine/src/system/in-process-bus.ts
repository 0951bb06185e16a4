import type { SessionId } from '@quarterdeck/protocol'
import type { Bus, Listener } from '../ports/bus.ts'

/** The bus of one process. */
export function createInProcessBus(): Bus {
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
