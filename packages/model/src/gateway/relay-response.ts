// Passes a response on, byte for byte and no faster than the client reads it.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { downwardHeaders } from './forwarded-headers.ts'
import type { ResponseMeter } from './response-meter.ts'

export type Relay = {
  readonly upstream: IncomingMessage
  readonly response: ServerResponse
  readonly meter: ResponseMeter
  readonly signal: AbortSignal
  /** Replaced in error bodies: a provider may echo what it refused. */
  readonly secret: string | null
}

const LARGEST_ERROR_BODY = 1024 * 1024

/** Leaves the response open: the caller ends it once the books are done, or breaks it when this rejects. */
export async function relayResponse(relay: Relay): Promise<void> {
  const { upstream, response, meter, signal } = relay
  const status = upstream.statusCode ?? 502
  if (status >= 400) return relayError(relay, status)
  response.writeHead(status, downwardHeaders(upstream.headers))
  for await (const chunk of upstream) {
    meter.push(chunk)
    if (!response.write(chunk)) await once(response, 'drain', { signal })
  }
}

async function relayError({ upstream, response, secret }: Relay, status: number): Promise<void> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of upstream) {
    size += chunk.length
    if (size <= LARGEST_ERROR_BODY) chunks.push(chunk)
  }
  const headers = Object.entries(downwardHeaders(upstream.headers))
  const safe = headers.map(([name, value]) => [name, typeof value === 'string' ? redact(value, secret) : value])
  const body = Buffer.from(redact(Buffer.concat(chunks).toString('utf8'), secret))
  response.writeHead(status, { ...Object.fromEntries(safe), 'content-length': body.byteLength })
  response.write(body)
}

export function redact(text: string, secret: string | null): string {
  if (!secret) return text
  const bare = secret.replace(/^Bearer\s+/i, '')
  return bare === '' ? text : text.replaceAll(bare, '[redacted]')
}
