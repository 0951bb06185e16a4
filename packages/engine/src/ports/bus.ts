// Live fan-out from the writer of a session to its readers. In-process now; narrow enough for a network.
import type { SessionId, StreamedEvent } from '@quarterdeck/protocol'

export interface Bus {
  /** Calls the listeners in the order of their subscription before it returns. Listeners must not throw. */
  publish(sessionId: SessionId, events: readonly StreamedEvent[]): void
  /** Calls the listener for everything published after this returns. Returns the unsubscribe function. */
  subscribe(sessionId: SessionId, listener: Listener): () => void
  /** Call when the session is deleted: nothing more will be published. Calls every listener with `null`. */
  end(sessionId: SessionId): void
  /** The number of listeners, for leak tests. */
  listenerCount(): number
}

export type Listener = (events: readonly StreamedEvent[] | null) => void
