// Spans on their way out: a bounded line, sent in batches. What waits too long or is refused is dropped with one warning;
// nobody who adds a span ever waits or hears of it.
import type { Logger } from '../ports/logger.ts'
import type { Span } from './span.ts'

/** What became of a batch. */
export type ExportOutcome =
  | { readonly type: 'taken' }
  /** Not now: `afterMs` is when the receiver said to come again. */
  | { readonly type: 'later'; readonly reason: string; readonly afterMs: number | null }
  | { readonly type: 'refused'; readonly reason: string }

export interface SpanQueueOptions {
  /** Never rejects. */
  readonly send: (spans: readonly Span[], signal: AbortSignal) => Promise<ExportOutcome>
  readonly maxSpans: number
  readonly maxBatch: number
  /** How long spans are gathered. */
  readonly delayMs: number
  readonly logger: Logger
  readonly firstRetryMs?: number
  /** How long the rest may take when the house closes. */
  readonly closeMs?: number
}

export interface SpanQueue {
  add(span: Span): void
  /** Sends what waits, once and for a bounded time. */
  close(): Promise<void>
}

const defaultFirstRetryMs = 1000
const longestRetryMs = 30_000
const maxAttempts = 5
const defaultCloseMs = 3000

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { send, maxSpans, maxBatch, delayMs, logger, firstRetryMs = defaultFirstRetryMs } = options
  const waiting: Span[] = []
  const leaving = new AbortController()
  let underWay = 0
  let attempts = 0
  let dropped = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | null = null

  function add(span: Span): void {
    if (isClosed) return drop(1, 'the line to the collector is closed')
    if (waiting.length + underWay >= maxSpans) return drop(1, 'too many wait to be sent')
    waiting.push(span)
    if (sending === null && attempts === 0) schedule(waiting.length >= maxBatch ? 0 : delayMs)
  }

  function schedule(ms: number): void {
    if (isClosed || (timer !== undefined && ms > 0)) return
    clearTimeout(timer)
    timer = setTimeout(begin, ms)
    timer.unref()
  }

  function begin(): void {
    timer = undefined
    sending = sendBatch(leaving.signal).then((afterMs) => {
      sending = null
      if (waiting.length > 0) schedule(afterMs ?? (waiting.length >= maxBatch ? 0 : delayMs))
    })
  }

  /** Resolves with how long to wait before the next; `null` when nothing stands in the way. */
  async function sendBatch(signal: AbortSignal): Promise<number | null> {
    const batch = waiting.splice(0, maxBatch)
    underWay = batch.length
    const delivery = await send(batch, signal)
    underWay = 0
    if (delivery.type === 'later' && attempts + 1 < maxAttempts && !isClosed) {
      attempts += 1
      waiting.unshift(...batch)
      return Math.min(longestRetryMs, delivery.afterMs ?? firstRetryMs * 2 ** (attempts - 1))
    }
    attempts = 0
    if (delivery.type === 'taken') logRecovered()
    else drop(batch.length, delivery.reason)
    return null
  }

  function drop(count: number, reason: string): void {
    if (dropped === 0) logger.warn({ reason }, 'spans cannot be handed on and are dropped')
    dropped += count
  }

  function logRecovered(): void {
    if (dropped > 0) logger.info({ dropped }, 'spans are handed on again')
    dropped = 0
  }

  return {
    add,
    async close() {
      isClosed = true
      clearTimeout(timer)
      const bound = setTimeout(() => leaving.abort(), options.closeMs ?? defaultCloseMs)
      await sending
      while (waiting.length > 0 && !leaving.signal.aborted) await sendBatch(leaving.signal)
      clearTimeout(bound)
    },
  }
}
