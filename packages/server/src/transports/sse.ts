// Server-sent events. The reader's own pace drives it: what it does not take stays in the log, never in a queue of ours.
import type { EventSink } from '@quarterdeck/engine'
import type { StreamedEvent } from '@quarterdeck/protocol'
import { type Connection, createOutlet, type Outlet } from './outlet.ts'
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
const roomBytes = 128 * 1024

const hello = Buffer.from('retry: 1000\n: connected\n\n')
const heartbeat = Buffer.from(': heartbeat\n\n')

export function streamEvents(source: SseSource): ReadableStream<Uint8Array> {
  const { write = framesOf, prelude } = source
  const stopped = new AbortController()
  let onRoom: () => void = () => undefined
  const outlet = createOutlet(source.connection, { onEmpty: () => onRoom(), onLeave: stop })
  const beat = setInterval(watch(outlet, source.timing.stallMs, cutOff), source.timing.heartbeatMs)
  beat.unref()

  function stop(): void {
    clearInterval(beat)
    for (const signal of source.signals) signal.removeEventListener('abort', stop)
    stopped.abort()
    onRoom()
    outlet.end()
  }

  function cutOff(): void {
    stop()
    outlet.cut()
  }

  const sink: EventSink = {
    take(events) {
      const bytes = write(events)
      if (bytes.byteLength > 0) outlet.send(bytes)
      return outlet.waiting() < roomBytes
    },
    room: () =>
      new Promise((resolve) => {
        if (stopped.signal.aborted || outlet.waiting() < roomBytes) resolve()
        else onRoom = resolve
      }),
  }

  outlet.send(hello) // at once: the reader learns that it is connected before anything happens
  if (prelude !== undefined && prelude.byteLength > 0) outlet.send(prelude)
  for (const signal of source.signals) signal.addEventListener('abort', stop)
  if (source.signals.some((signal) => signal.aborted)) stop()
  source.feed(sink, stopped.signal).catch(source.onFailure).finally(stop)
  return outlet.stream
}

/** Called at every beat: says that the stream lives, or counts for how long its reader has taken nothing. */
function watch(outlet: Outlet, stallMs: number, onStall: () => void): () => void {
  let taken = 0
  let stuckSince: number | null = null
  return () => {
    const isStuck = outlet.waiting() > 0 && outlet.taken() <= taken
    taken = outlet.taken()
    stuckSince = isStuck ? (stuckSince ?? performance.now()) : null
    if (outlet.waiting() === 0) outlet.send(heartbeat)
    else if (stuckSince !== null && performance.now() - stuckSince >= stallMs) onStall()
  }
}
