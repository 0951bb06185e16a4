// A session's events, each durable one exactly once and in order, through any number of lost connections.
import { z } from 'zod'
import { QuarterdeckError } from '../errors.ts'
import { EphemeralEvent, isDurable, SessionEvent, type StreamedEvent } from '../events/session-event.ts'
import { EventId } from '../ids.ts'
import { type Backoff, createBackoff, wait } from './backoff.ts'
import { refusalOf } from './refusal.ts'
import { readSseFrames, type SseFrame } from './sse-frames.ts'

export type ConnectionStatus = 'connecting' | 'live' | 'reconnecting'

export interface FollowOptions {
  /** The last `seq` the caller already has. */
  readonly after?: number
  readonly signal?: AbortSignal
  readonly onStatus?: (status: ConnectionStatus) => void
  readonly backoff?: Backoff
  /** A connection that says nothing for so long is taken for dead: the server's heartbeat comes every 15 s. */
  readonly silenceMs?: number
}

export interface FollowConnection {
  /** Opens the stream after a `seq`. */
  open(after: number, signal: AbortSignal): Promise<Response>
}

/**
 * Ends only when the signal aborts. Throws a `QuarterdeckError` when trying again would get the same: the server says
 * that the session or the cursor is not there, or sends what is not an event at all. An event that this client cannot
 * read, because its server is newer, is passed over.
 */
export async function* followSession(
  connection: FollowConnection,
  options: FollowOptions = {},
): AsyncGenerator<StreamedEvent> {
  const signal = options.signal ?? new AbortController().signal
  const backoff = options.backoff ?? createBackoff()
  let last = options.after ?? 0
  options.onStatus?.('connecting')
  while (!signal.aborted) {
    try {
      const response = await connection.open(last, signal)
      if (!response.ok || response.body === null) await refuse(response)
      else {
        options.onStatus?.('live')
        for await (const frame of readSseFrames(response.body, options.silenceMs ?? defaultSilenceMs)) {
          const event = parseEvent(frame)
          if (event === null) continue
          if (event.type === 'unreadable' || isDurable(event)) {
            if (event.seq <= last) continue
            if (event.seq !== last + 1) break // a gap: come back with the cursor rather than show a hole
            last = event.seq
          }
          backoff.reset()
          if (event.type !== 'unreadable') yield event
        }
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

const defaultSilenceMs = 45_000

/** An event whose type or content this client does not know: it is passed over, and the cursor with it. */
interface UnreadableEvent {
  readonly type: 'unreadable'
  readonly seq: number
}

const Envelope = z.object({ seq: z.int().positive(), id: EventId, type: z.string() })

function parseEvent(frame: SseFrame): StreamedEvent | UnreadableEvent | null {
  const value = parseJson(frame.data)
  if (frame.id === null) return EphemeralEvent.safeParse(value).data ?? null // a newer server may stream other kinds
  const event = SessionEvent.safeParse(value)
  if (event.success) return event.data
  const envelope = Envelope.safeParse(value)
  if (envelope.success) return { type: 'unreadable', seq: envelope.data.seq }
  // Without a number the cursor cannot move on: the next connection would bring the same again, for ever.
  throw new QuarterdeckError('internal', `the server sent as event ${frame.id} what is not an event`, {
    facts: { id: frame.id },
    cause: event.error,
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no event either: the caller says so
  }
}

/** A 4xx is an answer, not an outage: trying again would get the same. Only an answer is a `QuarterdeckError`. */
async function refuse(response: Response): Promise<never> {
  const isAnswer = response.status >= 400 && response.status < 500 && ![408, 425, 429].includes(response.status)
  if (!isAnswer) throw new Error(`the event stream answered ${response.status}`)
  throw refusalOf(response.status, await response.json().catch(() => null))
}
