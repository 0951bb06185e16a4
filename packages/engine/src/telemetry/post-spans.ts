import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Attributes, AttributeValue, Span } from './span.ts'
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

// Serialises spans as OTLP over HTTP in JSON, identical to the official serializer (checked by a test).
const kinds = { internal: 1, client: 3 } as const
const status = { unset: 0, error: 2 } as const
/** Sampled, and not from a remote process. */
const flags = 0x101

/** The body of one request: spans of one resource. */
export const otlpRequest = (resource: Attributes, spans: readonly Span[]) => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues(resource), droppedAttributesCount: 0 },
      scopeSpans: [{ scope: { name: 'quarterdeck' }, spans: spans.map(otlpSpan) }],
    },
  ],
})

const otlpSpan = ({ traceId, spanId, parentSpanId, name, kind, startedAt, endedAt, attributes, isError }: Span) => ({
  traceId,
  spanId,
  ...(parentSpanId === null ? {} : { parentSpanId }),
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(startedAt),
  endTimeUnixNano: nanoseconds(endedAt),
  attributes: keyValues(attributes),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  status: { code: isError ? status.error : status.unset },
  links: [],
  droppedLinksCount: 0,
  flags,
})

/** Larger than a number can represent exactly. */
const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`

const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }))

function anyValue(value: AttributeValue): object {
  switch (typeof value) {
    case 'string':
      return { stringValue: value }
    case 'boolean':
      return { boolValue: value }
    case 'number':
      return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
    default:
      return { arrayValue: { values: value.map(anyValue) } }
  }
}
