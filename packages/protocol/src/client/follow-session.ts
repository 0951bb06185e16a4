// A session's events, each durable one exactly once and in order, through any number of lost connections.

import { errorKind, Problem, QuarterdeckError } from '../errors.ts'
import { EphemeralEvent, eventTypes, isDurable, SessionEvent, type StreamedEvent } from '../events/session-event.ts'
import { type Backoff, createBackoff, wait } from './backoff.ts'
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

/** Ends only when the signal aborts or the server says that the session or the cursor is not there. */
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
          if (event.type === 'unknown' || isDurable(event)) {
            if (event.seq <= last) continue
            if (event.seq !== last + 1) break // a gap: come back with the cursor rather than show a hole
            last = event.seq
          }
          backoff.reset()
          if (event.type !== 'unknown') yield event
        }
      }
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) throw error
    }
    if (signal.aborted) return
    options.onStatus?.('reconnecting')
    await wait(backoff.next(), signal)
  }
}

const defaultSilenceMs = 45_000

/** An event of a kind this client does not know: it is passed over, and the cursor with it. */
interface UnknownEvent {
  readonly type: 'unknown'
  readonly seq: number
}

function parseEvent(frame: SseFrame): StreamedEvent | UnknownEvent | null {
  const value: unknown = JSON.parse(frame.data)
  if (frame.id !== null) return isKnown(value) ? SessionEvent.parse(value) : { type: 'unknown', seq: Number(frame.id) }
  const ephemeral = EphemeralEvent.safeParse(value)
  return ephemeral.success ? ephemeral.data : null // a newer server may stream kinds this client does not know
}

const isKnown = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && eventTypes.some((type) => type === value.type)

/** A 4xx is an answer, not an outage: trying again would get the same. */
async function refuse(response: Response): Promise<never> {
  const body: unknown = await response.json().catch(() => null)
  const problem = Problem.safeParse(body)
  if (problem.success) throw new QuarterdeckError(problem.data.code, problem.data.detail, { facts: problem.data })
  const sentence = `the event stream answered ${response.status}`
  const isAnswer = response.status >= 400 && response.status < 500 && ![408, 425, 429].includes(response.status)
  throw isAnswer ? new QuarterdeckError('request.invalid', sentence) : new Error(sentence)
}

const isFinal = (error: unknown): boolean => error instanceof QuarterdeckError && errorKind(error.code).status < 500
