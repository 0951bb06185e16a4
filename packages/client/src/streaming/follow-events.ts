// A session's events, each durable one exactly once and in order, through any number of lost connections.

import {
  EphemeralEvent,
  EventId,
  isDurable,
  QuarterdeckError,
  SessionEvent,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { z } from 'zod'
import { type Backoff, createBackoff, wait } from '../http/backoff.ts'

export type ConnectionStatus = 'connecting' | 'live' | 'reconnecting'

export interface FollowOptions {
  /** The last `seq` the caller already has. */
  readonly after?: number
  readonly signal?: AbortSignal
  readonly onStatus?: (status: ConnectionStatus) => void
  readonly backoff?: Backoff
}

/** An event as a connection brought it. */
export interface SentEvent {
  /** The number the connection gives it; `null` for what no log holds. */
  readonly id: string | null
  readonly value: unknown
}

export interface EventConnection {
  /**
   * Resolves when it stands, with everything after a `seq`, until it breaks. Rejects with a `QuarterdeckError` where
   * trying again would get the same answer, with anything else where it would not.
   */
  open(after: number, signal: AbortSignal): Promise<AsyncIterable<SentEvent>>
}

/**
 * Ends only when the signal aborts. Throws a `QuarterdeckError` when trying again would get the same: the server says
 * that the session or the cursor is not there, or sends what is not an event at all. An event that this client cannot
 * read, because its server is newer, is passed over.
 */
export async function* followEvents(
  connection: EventConnection,
  options: FollowOptions = {},
): AsyncGenerator<StreamedEvent> {
  const signal = options.signal ?? new AbortController().signal
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
          if (event.seq !== last + 1) break // a gap: come back with the cursor rather than show a hole
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
    await wait(backoff.next(), signal)
  }
}

/** An event whose type or content this client does not know: it is passed over, and the cursor with it. */
interface UnreadableEvent {
  readonly type: 'unreadable'
  readonly seq: number
}

const Envelope = z.object({ seq: z.int().positive(), id: EventId, type: z.string() })

function parseEvent({ id, value }: SentEvent): StreamedEvent | UnreadableEvent | null {
  if (id === null) return EphemeralEvent.safeParse(value).data ?? null // a newer server may stream other kinds
  const event = SessionEvent.safeParse(value)
  if (event.success) return event.data
  const envelope = Envelope.safeParse(value)
  if (envelope.success) return { type: 'unreadable', seq: envelope.data.seq }
  // Without a number the cursor cannot move on: the next connection would bring the same again, for ever.
  throw new QuarterdeckError('internal', `the server sent as event ${id} what is not an event`, {
    facts: { id },
    cause: event.error,
  })
}
