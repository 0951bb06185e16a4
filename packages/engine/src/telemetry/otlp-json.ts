// Serialises spans as OTLP over HTTP in JSON, identical to the official serializer (checked by a test).
import type { Attributes, AttributeValue, Span } from './span.ts'

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
