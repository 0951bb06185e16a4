// Passes a response on, no faster than the client reads it: byte for byte, except for token deltas that are merged.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createDeltaMerger } from './delta-merger.ts'
import { downwardHeaders } from './forwarded-headers.ts'
import { readErrorBody } from './read-error-body.ts'
import type { ResponseMeter } from './response-meter.ts'
import { watchSilence } from './silence-watch.ts'

export type Relay = {
  readonly upstream: IncomingMessage
  readonly response: ServerResponse
  readonly meter: ResponseMeter
  readonly signal: AbortSignal
  /** Replaced in error bodies: a provider may echo what it refused. */
  readonly secret: string | null
  /** An error is passed on with the word that trying again is of no use. */
  readonly isFinal: boolean
  readonly mergeWindowMs: number
  /** How long the provider may say nothing in the middle of an answer or an error; 0 for ever. */
  readonly silenceMs: number
}

/** Leaves the response open: the caller ends it once the books are done, or breaks it when this rejects. */
export async function relayResponse(relay: Relay): Promise<void> {
  const { upstream, response, meter, signal } = relay
  const status = upstream.statusCode ?? 502
  if (status >= 400) return relayError(relay, status)
  response.writeHead(status, downwardHeaders(upstream.headers))
  const passing = createPassing(relay)
  const silence = watchSilence(relay.silenceMs, () => upstream.destroy(new Error('the provider fell silent')))
  try {
    for await (const chunk of upstream) {
      silence.pause()
      meter.push(chunk)
      if (!passing.write(chunk)) await once(response, 'drain', { signal })
      silence.heard()
    }
  } finally {
    silence.end()
    passing.end()
  }
}

type Passing = { write(chunk: Buffer): boolean; end(): void }

function createPassing({ upstream, response, mergeWindowMs }: Relay): Passing {
  const { 'content-type': type, 'content-encoding': encoding } = upstream.headers
  const isReadable = (encoding ?? 'identity') === 'identity' && type?.includes('text/event-stream') === true
  if (mergeWindowMs <= 0 || !isReadable) return { write: (chunk) => response.write(chunk), end: () => {} }
  const merger = createDeltaMerger({ windowMs: mergeWindowMs, write: (bytes) => response.write(bytes) })
  return { write: merger.push, end: merger.end }
}

async function relayError({ upstream, response, secret, isFinal, silenceMs }: Relay, status: number): Promise<void> {
  const said = await readErrorBody(upstream, silenceMs)
  const headers = Object.entries(downwardHeaders(upstream.headers))
  const safe = headers.map(([name, value]) => [name, typeof value === 'string' ? redact(value, secret) : value])
  const body = Buffer.from(redact(said.toString('utf8'), secret))
  const told = isFinal ? { 'x-should-retry': 'false' } : {}
  response.writeHead(status, { ...Object.fromEntries(safe), ...told, 'content-length': body.byteLength })
  response.write(body)
}

export function redact(text: string, secret: string | null): string {
  if (!secret) return text
  const bare = secret.replace(/^Bearer\s+/i, '')
  return bare === '' ? text : text.replaceAll(bare, '[redacted]')
}
