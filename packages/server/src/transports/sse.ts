// Server-sent events at the pace of the reader: unread events stay in the log, never in a queue.
import type { EventSink } from '@quarterdeck/engine'
import { isDurable, type StreamedEvent } from '@quarterdeck/protocol'
import { highWaterMarkBytes } from './drain-waiters.ts'
import { createResponseWriter, type ResponseWriter, type WritableResponse } from './response-writer.ts'
import { serializeOnce } from './serialize-once.ts'
import type { StreamTiming } from './stream-deps.ts'

export interface SseSource {
  /** Fills the sink until the signal aborts. */
  readonly feed: (sink: EventSink, signal: AbortSignal) => Promise<void>
  /** Serializes events; as SSE frames by default. */
  readonly write?: (events: readonly StreamedEvent[]) => Uint8Array
  /** Sent before any event. */
  readonly prelude?: Uint8Array
  /** The reader left, its key was revoked, or the server stops: each ends the stream. */
  readonly signals: readonly AbortSignal[]
  readonly timing: StreamTiming
  /** `null` without a socket. */
  readonly connection: WritableResponse | null
  /** The source failed. The stream ends; the reader reconnects with its cursor and gets the error as a response. */
  readonly onFailure: (error: unknown) => void
}

const hello = Buffer.from('retry: 1000\n: connected\n\n')
const heartbeat = Buffer.from(': heartbeat\n\n')

export function streamEvents(source: SseSource): ReadableStream<Uint8Array> {
  const { write = framesOf, prelude } = source
  const stopped = new AbortController()
  let onDrain: () => void = () => undefined
  const writer = createResponseWriter(source.connection, { onEmpty: () => onDrain(), onLeave: stop })
  const beat = setInterval(watch(writer, source.timing.stallMs, cutOff), source.timing.heartbeatMs)
  beat.unref()

  function stop(): void {
    clearInterval(beat)
    for (const signal of source.signals) signal.removeEventListener('abort', stop)
    stopped.abort()
    onDrain()
    writer.end()
  }

  function cutOff(): void {
    stop()
    writer.cut()
  }

  const sink: EventSink = {
    take(events) {
      const bytes = write(events)
      if (bytes.byteLength > 0) writer.send(bytes)
      return writer.waiting() < highWaterMarkBytes
    },
    drained: () =>
      new Promise((resolve) => {
        if (stopped.signal.aborted || writer.waiting() < highWaterMarkBytes) resolve()
        else onDrain = resolve
      }),
  }

  writer.send(hello) // at once, so that the reader knows that it is connected
  if (prelude !== undefined && prelude.byteLength > 0) writer.send(prelude)
  for (const signal of source.signals) signal.addEventListener('abort', stop)
  if (source.signals.some((signal) => signal.aborted)) stop()
  source.feed(sink, stopped.signal).catch(source.onFailure).finally(stop)
  return writer.stream
}

/** Runs at every heartbeat: sends one, or measures how long the reader has read nothing. */
function watch(writer: ResponseWriter, stallMs: number, onStall: () => void): () => void {
  let taken = 0
  let stuckSince: number | null = null
  return () => {
    const isStuck = writer.waiting() > 0 && writer.taken() <= taken
    taken = writer.taken()
    stuckSince = isStuck ? (stuckSince ?? performance.now()) : null
    if (writer.waiting() === 0) writer.send(heartbeat)
    else if (stuckSince !== null && performance.now() - stuckSince >= stallMs) onStall()
  }
}

const framesOf = serializeOnce((events): Uint8Array => Buffer.from(events.map(frameOf).join('')))

/** No `event:` field: a plain EventSource listens to unnamed messages. Only durable events move the cursor. */
function frameOf(event: StreamedEvent): string {
  const id = isDurable(event) ? `id: ${event.seq}\n` : ''
  return `${id}data: ${JSON.stringify(event)}\n\n`
}
