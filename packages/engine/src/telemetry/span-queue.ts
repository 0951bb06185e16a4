// A bounded queue of spans, sent in batches. Spans that wait too long or are refused are dropped with one warning;
// adding a span never blocks or fails.
import { backoffDelay } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { Span } from './span.ts'

/** The result of sending a batch. */
export type ExportOutcome =
  | { readonly type: 'taken' }
  /** Not now: `afterMs` is the delay the receiver asked for. */
  | { readonly type: 'later'; readonly reason: string; readonly afterMs: number | null }
  | { readonly type: 'refused'; readonly reason: string }

export interface SpanQueueOptions {
  /** Never rejects. */
  readonly send: (spans: readonly Span[], signal: AbortSignal) => Promise<ExportOutcome>
  readonly maxSpans: number
  readonly maxBatch: number
  /** How long spans are collected. */
  readonly delayMs: number
  readonly logger: Logger
  readonly firstRetryMs?: number
  /** How long sending may take when the runtime closes. */
  readonly closeMs?: number
}

export type SpanQueue = ReturnType<typeof createSpanQueue>

const defaultFirstRetryMs = 1000
const longestRetryMs = 30_000
const maxAttempts = 5
const defaultCloseMs = 3000

export function createSpanQueue(options: SpanQueueOptions) {
  const { send, maxSpans, maxBatch, delayMs, logger, firstRetryMs = defaultFirstRetryMs } = options
  const waiting: Span[] = []
  const closing = new AbortController()
  let inFlight = 0
  let attempts = 0
  let dropped = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | null = null

  function add(span: Span): void {
    if (isClosed) return drop(1, 'the queue is closed')
    if (waiting.length + inFlight >= maxSpans) return drop(1, 'the queue is full')
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
    sending = sendBatch(closing.signal).then((afterMs) => {
      sending = null
      if (waiting.length > 0) schedule(afterMs ?? (waiting.length >= maxBatch ? 0 : delayMs))
    })
  }

  /** Resolves with the delay before the next batch; `null` for none. */
  async function sendBatch(signal: AbortSignal): Promise<number | null> {
    const batch = waiting.splice(0, maxBatch)
    inFlight = batch.length
    const delivery = await send(batch, signal)
    inFlight = 0
    if (delivery.type === 'later' && attempts + 1 < maxAttempts && !isClosed) {
      attempts += 1
      waiting.unshift(...batch)
      const bounds = { firstMs: firstRetryMs, longestMs: longestRetryMs }
      return Math.min(longestRetryMs, delivery.afterMs ?? backoffDelay(attempts, bounds))
    }
    attempts = 0
    if (delivery.type === 'taken') logRecovered()
    else drop(batch.length, delivery.reason)
    return null
  }

  function drop(count: number, reason: string): void {
    if (dropped === 0) logger.warn({ reason }, 'spans cannot be exported and are dropped')
    dropped += count
  }

  function logRecovered(): void {
    if (dropped > 0) logger.info({ dropped }, 'spans are exported again')
    dropped = 0
  }

  return {
    add,
    /** Sends the waiting spans once, for a bounded time. */
    async close() {
      isClosed = true
      clearTimeout(timer)
      const bound = setTimeout(() => closing.abort(), options.closeMs ?? defaultCloseMs)
      await sending
      while (waiting.length > 0 && !closing.signal.aborted) await sendBatch(closing.signal)
      clearTimeout(bound)
    },
  }
}
