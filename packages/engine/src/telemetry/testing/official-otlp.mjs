// Prints one span as the official OpenTelemetry packages write it. A separate program: the test runner resolves these
// packages with conditions that Node does not use.
import { createRequire } from 'node:module'

const official = createRequire(new URL('../../../../../tools/package.json', import.meta.url))
const { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } = official('@opentelemetry/sdk-trace')
const { JsonTraceSerializer } = official('@opentelemetry/otlp-transformer')
const { ROOT_CONTEXT, trace } = official('@opentelemetry/api')
const { resourceFromAttributes } = official('@opentelemetry/resources')

const { span: one, resource, scope } = JSON.parse(process.argv[2] ?? '')
const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({
  resource: resourceFromAttributes(resource),
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
  idGenerator: { generateTraceId: () => one.traceId, generateSpanId: () => one.spanId },
})
const parent = { traceId: one.traceId, spanId: one.parentSpanId, traceFlags: 1, isRemote: false }
const context = one.parentSpanId === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
const kind = { internal: 0, client: 2 }[one.kind]
const options = { kind, startTime: one.startedAt, attributes: one.attributes }
const span = provider.getTracer(scope).startSpan(one.name, options, context)
if (one.isError) span.setStatus({ code: 2 })
span.end(one.endedAt)
await provider.forceFlush()
process.stdout.write(JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans()))
