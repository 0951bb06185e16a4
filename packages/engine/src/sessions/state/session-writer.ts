// One writer per session decides its commands in order. Events are durable before any reader sees them.
import {
  type Command,
  createSerialQueue,
  type EventDraft,
  foldSession,
  isQuarterdeckError,
  type SessionEvent,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { Bus } from '../../ports/bus.ts'
import type { Redactor } from '../../redaction/redact.ts'
import { redactDraft } from '../../redaction/redact-draft.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { decide } from '../rules/decide.ts'
import { requireSession } from '../rules/invariants.ts'

export type SessionWriter = ReturnType<typeof createSessionWriter>

export interface SessionWriterOptions {
  readonly sessionId: SessionId
  readonly initial: SessionState | null
  readonly store: EventStore
  readonly bus: Bus
  /** Removes secrets from events before they reach the store. */
  readonly redactor: Redactor
  /** The number of the lease: a process that has lost the session cannot write to it. */
  readonly fencing: number
  /** Called when another process has written to the session, or the session was deleted. */
  readonly onConflict: () => void
  /** Called with durable events before any reader sees them. Must not throw. */
  readonly onWritten?: (state: SessionState, events: readonly SessionEvent[]) => void
}

export function createSessionWriter(options: SessionWriterOptions) {
  const { sessionId, store, bus, redactor, fencing } = options
  let current = options.initial
  const runInOrder = createSerialQueue()

  async function append(drafts: readonly EventDraft[]): Promise<readonly SessionEvent[]> {
    if (drafts.length === 0) return []
    const events = await store
      .append(
        sessionId,
        current?.seq ?? 0,
        drafts.map((draft) => redactDraft(redactor, draft)),
        { fencing },
      )
      .catch(async (error: unknown) => {
        if (!isQuarterdeckError(error, 'store.conflict')) throw error
        options.onConflict()
        // A deleted session is reported as not found, not as taken by another process.
        if (current !== null) requireSession(await store.load(sessionId).catch(() => current), sessionId)
        throw error
      })
    current = foldSession(current, events)
    options.onWritten?.(requireSession(current, sessionId), events)
    bus.publish(sessionId, events)
    return events
  }

  return {
    sessionId,
    /** As of the last append. Throws `session.not-found` before the first. */
    state: (): SessionState => requireSession(current, sessionId),
    /**
     * Decides and appends. Resolves with the events once they are durable and published. A command that depends on this
     * process is passed as a function, called when the command's turn has come.
     */
    apply: (command: Command | (() => Command)): Promise<readonly SessionEvent[]> =>
      runInOrder(async () => append(decide(current, typeof command === 'function' ? command() : command))),
    /** Appends events without a decision. */
    record: (drafts: readonly EventDraft[]): Promise<readonly SessionEvent[]> => runInOrder(() => append(drafts)),
  }
}
