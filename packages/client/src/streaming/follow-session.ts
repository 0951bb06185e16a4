// The events of a session over server-sent events.
import type { StreamedEvent } from '@quarterdeck/protocol'
import { parseJson } from '@quarterdeck/protocol'
import { defaultSilenceMs } from '../http/connection-silence.ts'
import { refuseStream } from '../http/refusal.ts'
import { type FollowEventsOptions, followEvents, type SentEvent } from './follow-events.ts'
import { readSseFrames } from './sse-frames.ts'

export interface FollowOptions extends FollowEventsOptions {
  /** A connection without any bytes for this long is considered lost. The server sends a heartbeat every 15 s. */
  readonly silenceMs?: number
}

export interface FollowConnection {
  /** Opens the stream after a `seq`. */
  open(after: number, signal: AbortSignal): Promise<Response>
}

/** See `followEvents`. */
export function followSession(
  connection: FollowConnection,
  options: FollowOptions = {},
): AsyncGenerator<StreamedEvent> {
  const silenceMs = options.silenceMs ?? defaultSilenceMs
  return followEvents(
    {
      async open(after, signal) {
        const response = await connection.open(after, signal)
        if (!response.ok || response.body === null) return refuseStream(response)
        return sentEvents(response.body, silenceMs)
      },
    },
    options,
  )
}

async function* sentEvents(body: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<SentEvent> {
  for await (const { id, data } of readSseFrames(body, silenceMs)) yield { id, value: parseJson(data) }
}
