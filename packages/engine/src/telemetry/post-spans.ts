import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { otlpRequest } from './otlp-json.ts'
import type { Attributes, Span } from './span.ts'
import type { ExportOutcome } from './span-queue.ts'

const compress = promisify(gzip)

export interface SpanReceiver {
  /** The whole address, with `/v1/traces`. */
  readonly endpoint: string
  /** Never in an event, a log or an error. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly compression: 'gzip' | 'none'
  readonly resource: Attributes
}

/** Retryable statuses of the OTLP specification; all others are final. */
const retryableStatuses = [429, 502, 503, 504]

/** Never rejects. Redirects are not followed: the headers are meant for one address. */
export async function postSpans(
  receiver: SpanReceiver,
  spans: readonly Span[],
  signal: AbortSignal,
): Promise<ExportOutcome> {
  try {
    const json = JSON.stringify(otlpRequest(receiver.resource, spans))
    const isZipped = receiver.compression === 'gzip'
    const response = await fetch(receiver.endpoint, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        ...receiver.headers,
        'content-type': 'application/json',
        ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
      },
      body: isZipped ? new Uint8Array(await compress(json)) : json,
      signal: AbortSignal.any([AbortSignal.timeout(receiver.timeoutMs), signal]),
    })
    await response.body?.cancel()
    if (response.ok) return { type: 'taken' }
    const reason = `the collector answered ${response.status}`
    if (!retryableStatuses.includes(response.status)) return { type: 'refused', reason }
    return { type: 'later', reason, afterMs: afterMsOf(response.headers.get('retry-after')) }
  } catch (error) {
    return { type: 'later', reason: `the collector could not be reached${causeOf(error)}`, afterMs: null }
  }
}

/** Seconds; a date is ignored. */
function afterMsOf(header: string | null): number | null {
  const seconds = Number(header ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
}

/** Only the code: messages may contain an address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : cause instanceof Error ? cause.name : ''
  return typeof code === 'string' && code !== '' ? `: ${code}` : ''
}
