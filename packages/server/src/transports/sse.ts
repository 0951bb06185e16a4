// Server-sent events. The reader's own pace drives it: what it does not take stays in the log, never in a queue of ours.
import type { EventSink } from '@quarterdeck/engine'
import type { StreamedEvent } from '@quarterdeck/protocol'
import { type Connection, createResponseWriter, type ResponseWriter } from './response-writer.ts'
import { framesOf } from './sse-frames.ts'
import type { StreamTiming } from './stream-deps.ts'

export interface SseSource {
  /** Fills the sink until the signal aborts. */
  readonly feed: (sink: EventSink, signal: AbortSignal) => Promise<void>
  /** What goes out for some events; as they are, unless said. */
  readonly write?: (events: readonly StreamedEvent[]) => Uint8Array
  /** Goes out before any event. */
  readonly prelude?: Uint8Array
  /** The reader is gone, its key was revoked, or the server goes: any of them ends the stream. */
  readonly signals: readonly AbortSignal[]
  readonly timing: StreamTiming
  /** `null` where no socket is behind the answer. */
  readonly connection: Connection | null
  /** The source failed. The stream ends; the reader comes back with its cursor and gets the reason as an answer. */
  readonly onFailure: (error: unknown) => void
}

/** What one reader may leave untaken before it is served from the log again. */
const highWaterMarkBytes = 128 * 1024

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

  writer.send(hello) // at once: the reader learns that it is connected before anything happens
  if (prelude !== undefined && prelude.byteLength > 0) writer.send(prelude)
  for (const signal of source.signals) signal.addEventListener('abort', stop)
  if (source.signals.some((signal) => signal.aborted)) stop()
  source.feed(sink, stopped.signal).catch(source.onFailure).finally(stop)
  return writer.stream
}

/** Called at every beat: says that the stream lives, or counts for how long its reader has taken nothing. */
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
