// Relays a response no faster than the client reads it: byte for byte, except for merged token deltas.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ResponseMeter } from '../metering/response-meter.ts'
import { createDeltaMerger } from './delta-merger.ts'
import { downwardHeaders } from './forwarded-headers.ts'
import { readErrorBody } from './read-error-body.ts'
import { watchSilence } from './silence-watch.ts'

export interface Relay {
  readonly upstream: IncomingMessage
  readonly response: ServerResponse
  readonly meter: ResponseMeter
  readonly signal: AbortSignal
  /** Replaced in error bodies, because a provider may echo a refused credential. */
  readonly secret: string | null
  /** The error is relayed with a header that says not to retry. */
  readonly isFinal: boolean
  readonly mergeWindowMs: number
  /** How long the provider may be silent in the middle of an answer or an error; 0 for no limit. */
  readonly silenceMs: number
  /** Receives the bytes that complete the answer. */
  readonly heldBack: Buffer[]
}

/**
 * Leaves the response open: the caller ends it once the usage is booked, or destroys it when this rejects. The bytes
 * that complete the answer are in `relay.heldBack` by then: a client that gets them continues, and its turn could end
 * before the usage is booked.
 */
export async function relayResponse(relay: Relay): Promise<void> {
  const { upstream, response, meter, signal } = relay
  const status = upstream.statusCode ?? 502
  if (status >= 400) return relayError(relay, status)
  response.writeHead(status, downwardHeaders(upstream.headers)).flushHeaders()
  const passing = createPassing(relay)
  const silence = watchSilence(relay.silenceMs, () => upstream.destroy(new Error('the provider stopped sending')))
  try {
    for await (const chunk of upstream) {
      silence.pause()
      meter.push(chunk)
      if (!passing.write(chunk)) await once(response, 'drain', { signal })
      silence.reset()
    }
  } finally {
    silence.end()
    passing.end()
  }
}

interface Passing {
  write(chunk: Buffer): boolean
  end(): void
}

/** Bytes after the last frame are relayed. */
const maxHeldChunks = 16

const lastFrame = 'event: message_stop'

/** At the start of a line: text of the model may contain these words, but no line break. */
function lastFrameIn(bytes: Buffer): number {
  if (bytes.indexOf(lastFrame) === 0) return 0
  const before = bytes.indexOf(`\n${lastFrame}`)
  return before < 0 ? -1 : before + 1
}

function createPassing({ upstream, response, mergeWindowMs, heldBack }: Relay): Passing {
  const { 'content-type': type, 'content-encoding': encoding } = upstream.headers
  const isStream = type?.includes('text/event-stream') === true
  const isReadable = (encoding ?? 'identity') === 'identity' && isStream
  const writeStream = (bytes: Buffer | string): boolean => {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    const at = heldBack.length > 0 ? 0 : lastFrameIn(buffer)
    if (at < 0) return response.write(bytes)
    if (at > 0) response.write(buffer.subarray(0, at))
    heldBack.push(buffer.subarray(at))
    if (heldBack.length <= maxHeldChunks) return true
    return response.write(Buffer.concat(heldBack.splice(0)))
  }
  /** The last chunk is known only at the end. */
  const writeWhole = (bytes: Buffer): boolean => {
    const [before] = heldBack.splice(0, 1, bytes)
    return before === undefined || response.write(before)
  }
  if (!isStream) return { write: writeWhole, end: () => {} }
  if (mergeWindowMs <= 0 || !isReadable) return { write: writeStream, end: () => {} }
  const merger = createDeltaMerger({ windowMs: mergeWindowMs, write: writeStream })
  return { write: merger.push, end: merger.end }
}

async function relayError({ upstream, response, secret, isFinal, silenceMs }: Relay, status: number): Promise<void> {
  const received = await readErrorBody(upstream, silenceMs)
  const headers = Object.entries(downwardHeaders(upstream.headers))
  const safe = headers.map(([name, value]) => [name, typeof value === 'string' ? redact(value, secret) : value])
  const body = Buffer.from(redact(received.toString('utf8'), secret))
  const retryHeader = isFinal ? { 'x-should-retry': 'false' } : {}
  response.writeHead(status, { ...Object.fromEntries(safe), ...retryHeader, 'content-length': body.byteLength })
  response.write(body)
}

export function redact(text: string, secret: string | null): string {
  if (!secret) return text
  const bare = secret.replace(/^Bearer\s+/i, '')
  return bare === '' ? text : text.replaceAll(bare, '[redacted]')
}
