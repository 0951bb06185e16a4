// Test support: a collector on loopback that records requests and answers as configured.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

const AnyValue = z.looseObject({
  stringValue: z.string().optional(),
  intValue: z.number().optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
})
const KeyValues = z.array(z.object({ key: z.string(), value: AnyValue }))
const OtlpSpan = z.looseObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: KeyValues,
  status: z.object({ code: z.int() }),
})
const OtlpRequest = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.looseObject({ attributes: KeyValues }),
      scopeSpans: z.array(z.object({ scope: z.object({ name: z.string() }), spans: z.array(OtlpSpan) })),
    }),
  ),
})

interface CollectedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface CollectedSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly traceId: string
  readonly isError: boolean
  readonly durationMs: number
  readonly attributes: Readonly<Record<string, unknown>>
}

/** `statuses`: the answers to the first requests; later ones get 200. Closed when the test ends. */
export async function openCollector(statuses: readonly number[] = []) {
  const requests: CollectedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
      const status = statuses[requests.length] ?? 200
      requests.push({ url: request.url ?? '', headers: request.headers, body: body.toString('utf8') })
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  const resources = () => requests.flatMap(({ body }) => OtlpRequest.parse(JSON.parse(body)).resourceSpans)
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    text: () => requests.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n'),
    resource: () => resources().map(({ resource }) => flat(resource.attributes))[0] ?? {},
    spans: (): readonly CollectedSpan[] =>
      resources().flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({
            name: span.name,
            spanId: span.spanId,
            parentSpanId: span.parentSpanId,
            traceId: span.traceId,
            isError: span.status.code === 2,
            durationMs: Number((BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000n),
            attributes: flat(span.attributes),
          })),
        ),
      ),
  }
}

const flat = (attributes: z.infer<typeof KeyValues>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
