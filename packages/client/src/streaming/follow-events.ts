// The events of a session, each durable one exactly once and in order, through any number of lost connections.

import {
  EphemeralEvent,
  EventId,
  isDurable,
  neverAborted,
  QuarterdeckError,
  SessionEvent,
  type StreamedEvent,
  sleep,
} from '@quarterdeck/protocol'
import { z } from 'zod'
import { type Backoff, createBackoff } from '../http/backoff.ts'

export type ConnectionStatus = 'connecting' | 'live' | 'reconnecting'

export interface FollowEventsOptions {
  /** The last `seq` the caller already has. */
  readonly after?: number
  readonly signal?: AbortSignal
  readonly onStatus?: (status: ConnectionStatus) => void
  readonly backoff?: Backoff
}

/** An event as received from a connection. */
export interface SentEvent {
  /** The number of a durable event; `null` for events that are not in the log. */
  readonly id: string | null
  readonly value: unknown
}

export interface EventConnection {
  /**
   * Resolves when the connection is open, with all events after a `seq` until it closes. Rejects with a
   * `QuarterdeckError` if a retry would get the same answer, and with any other error if not.
   */
  open(after: number, signal: AbortSignal): Promise<AsyncIterable<SentEvent>>
}

/**
 * Ends only when the signal aborts. Throws a `QuarterdeckError` if a retry would get the same: the session or the
 * cursor does not exist, or the server sends values that are not events. Events that only newer clients can read are
 * skipped.
 */
export async function* followEvents(
  connection: EventConnection,
  options: FollowEventsOptions = {},
): AsyncGenerator<StreamedEvent> {
  const signal = options.signal ?? neverAborted()
  const backoff = options.backoff ?? createBackoff()
  let last = options.after ?? 0
  options.onStatus?.('connecting')
  while (!signal.aborted) {
    try {
      const sent = await connection.open(last, signal)
      options.onStatus?.('live')
      for await (const one of sent) {
        const event = parseEvent(one)
        if (event === null) continue
        if (event.type === 'unreadable' || isDurable(event)) {
          if (event.seq <= last) continue
          if (event.seq !== last + 1) break // a gap: reconnect with the cursor instead of skipping events
          last = event.seq
        }
        backoff.reset()
        if (event.type !== 'unreadable') yield event
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof QuarterdeckError) throw error
    }
    if (signal.aborted) return
    options.onStatus?.('reconnecting')
    await sleep(backoff.next(), signal)
  }
}

/** An event with an unknown type or content. It is skipped, and the cursor moves past it. */
interface UnreadableEvent {
  readonly type: 'unreadable'
  readonly seq: number
}

const Envelope = z.object({ seq: z.int().positive(), id: EventId, type: z.string() })

function parseEvent({ id, value }: SentEvent): StreamedEvent | UnreadableEvent | null {
  if (id === null) return EphemeralEvent.safeParse(value).data ?? null // newer servers may stream other kinds
  const event = SessionEvent.safeParse(value)
  if (event.success) return event.data
  const envelope = Envelope.safeParse(value)
  if (envelope.success) return { type: 'unreadable', seq: envelope.data.seq }
  // Without a number the cursor cannot move: the next connection would bring the same event again, forever.
  throw new QuarterdeckError('internal', `the server sent event ${id}, which is not a valid event`, {
    facts: { id },
    cause: event.error,
  })
}
