// Server-sent events over a raw stream (a helper library costs twice the CPU). The reader's own pace drives it: what is
// not read stays with the engine, which drops tokens, never events.
import { isDurable, type StreamedEvent } from '@quarterdeck/protocol'
import { coalesceTokens } from './coalesce-tokens.ts'

export interface SseTiming {
  /** A comment that keeps proxies from closing a quiet stream. */
  readonly heartbeatMs: number
  /** Tokens of one message within this window travel together. 0: the engine has merged them, no second wait. */
  readonly coalesceMs: number
  /** A reader that takes nothing for this long is cut off; it comes back with its cursor. */
  readonly stallMs: number
}

export const defaultSseTiming: SseTiming = { heartbeatMs: 15_000, coalesceMs: 0, stallMs: 60_000 }

export interface SseSource {
  readonly follow: (signal: AbortSignal) => AsyncIterable<StreamedEvent>
  /** The reader is gone, or the server goes: either ends the stream. */
  readonly signals: readonly AbortSignal[]
  readonly timing: SseTiming
  /** Cuts the connection of a reader that does not read: closing the stream would wait behind what it has not taken. */
  readonly disconnect: () => void
  /** The source failed. The stream ends; the reader comes back with its cursor and gets the reason as an answer. */
  readonly onFailure: (error: unknown) => void
}

const encoder = new TextEncoder()

export function streamEvents(source: SseSource): ReadableStream<Uint8Array> {
  const stopped = new AbortController()
  const batches = coalesceTokens(source.follow(stopped.signal), source.timing.coalesceMs)
  const stall = createStallWatch(source.timing.stallMs)
  let heartbeat: NodeJS.Timeout | undefined

  function stop(): void {
    clearInterval(heartbeat)
    for (const signal of source.signals) signal.removeEventListener('abort', stop)
    stopped.abort()
    batches.return(undefined).catch(source.onFailure)
  }

  function beat(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if ((controller.desiredSize ?? 0) > 0) {
      stall.moved()
      controller.enqueue(encoder.encode(': heartbeat\n\n'))
    } else if (stall.isOver()) {
      stop()
      source.disconnect()
    }
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Something to send at once: the reader learns that it is connected before anything happens.
      controller.enqueue(encoder.encode('retry: 1000\n: connected\n\n'))
      heartbeat = setInterval(() => beat(controller), source.timing.heartbeatMs)
      heartbeat.unref()
      for (const signal of source.signals) signal.addEventListener('abort', stop)
      if (source.signals.some((signal) => signal.aborted)) stop()
    },
    async pull(controller) {
      stall.moved()
      const next = await batches.next().catch((error: unknown) => {
        source.onFailure(error)
        return { done: true } as const
      })
      if (next.done !== true) return controller.enqueue(bytesOf(next.value))
      stop()
      controller.close()
    },
    cancel: stop,
  })
}

/** Counts from the first look that found the queue full until something moves. */
function createStallWatch(stallMs: number) {
  let fullSince: number | null = null
  return {
    moved() {
      fullSince = null
    },
    isOver() {
      fullSince ??= performance.now()
      return performance.now() - fullSince >= stallMs
    },
  }
}

/** Every reader of a session gets the same object from the bus: it is written out once for all of them. */
const frames = new WeakMap<StreamedEvent, string>()
const frameBytes = new WeakMap<StreamedEvent, Uint8Array>()

/** A live event mostly comes alone: then its bytes are made once for all readers too. */
function bytesOf(batch: readonly StreamedEvent[]): Uint8Array {
  const [only] = batch
  if (only === undefined || batch.length > 1) return encoder.encode(batch.map(frameOf).join(''))
  const known = frameBytes.get(only)
  if (known !== undefined) return known
  const bytes = encoder.encode(frameOf(only))
  frameBytes.set(only, bytes)
  return bytes
}

/** No `event:` field: a plain EventSource listens to unnamed messages. Only what the log holds moves the cursor. */
function frameOf(event: StreamedEvent): string {
  const known = frames.get(event)
  if (known !== undefined) return known
  const id = isDurable(event) ? `id: ${event.seq}\n` : ''
  const frame = `${id}data: ${JSON.stringify(event)}\n\n`
  frames.set(event, frame)
  return frame
}
