// A body is read whole, bounded in bytes, in time and in depth, before anything else happens with it.
import { assertNever, imageLimits, QuarterdeckError } from '@quarterdeck/protocol'
import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../app-env.ts'

export const maxBodyBytes = 1024 * 1024
/** Pictures come as base64, four letters for three bytes. */
export const maxBodyBytesWithImages = maxBodyBytes + Math.ceil(imageLimits.totalBytes / 3) * 4
export const maxJsonDepth = 64

export interface BodyTiming {
  /** A body of which nothing comes for this long is given up. */
  readonly bodyIdleMs: number
  /** The time for a whole body. Each byte that came adds to it, so that a large one on a slow line is read to its end. */
  readonly bodyTotalMs: number
}

export const defaultBodyTiming: BodyTiming = { bodyIdleMs: 30_000, bodyTotalMs: 60_000 }

/** A body that comes faster than this for long is read to its end. */
const slowestBytesPerMs = 16

export const timeBodies =
  (timing: BodyTiming): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    c.set('bodyTiming', timing)
    await next()
  }

/** The body as text; empty when there is none. */
export async function readBody(c: Context<AppEnv>, maxBytes = maxBodyBytes): Promise<string> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const body = c.req.raw.body
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of untilCut(body, c.get('bodyTiming') ?? defaultBodyTiming)) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new QuarterdeckError('request.invalid-json', 'the body is not UTF-8 text', { cause })
  }
}

/** Ends with an error when the caller leaves in the middle, or takes too long. */
async function* untilCut(body: ReadableStream<Uint8Array>, timing: BodyTiming): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  // Monotonic: a change of the system time cuts nobody off.
  const startedAt = performance.now()
  let received = 0
  try {
    for (;;) {
      const left = startedAt + timing.bodyTotalMs + received / slowestBytesPerMs - performance.now()
      const { done, value } = await within(reader.read(), Math.min(left, timing.bodyIdleMs))
      if (done) return
      received += value.byteLength
      yield value
    }
  } catch (cause) {
    if (cause instanceof QuarterdeckError) throw cause
    throw new QuarterdeckError('request.invalid', 'the connection was closed before the end of the body', { cause })
  } finally {
    // Nobody reads the rest. Where the body has ended this does nothing.
    void reader.cancel().catch(() => undefined)
  }
}

async function within<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), Math.max(0, ms))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Pictures do not count against the limit of a body: a route that takes them reads more, and the rest is measured here.
 * The bytes are those of the JSON as it came.
 */
export function requireSmallRest(text: string, value: unknown): void {
  const images = isRecord(value) && Array.isArray(value.images) ? value.images : []
  const ofImages = images.reduce(
    (sum: number, image: unknown) => sum + (isRecord(image) && typeof image.data === 'string' ? image.data.length : 0),
    0,
  )
  if (Buffer.byteLength(text) - ofImages > maxBodyBytes) throw tooLarge(maxBodyBytes, ', not counting pictures')
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

export function parseJsonBody(text: string, contentType: string | undefined): unknown {
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')) {
    throw new QuarterdeckError(
      'request.unsupported-media-type',
      `send the body as "content-type: application/json"${contentType === undefined ? '' : `, not ${JSON.stringify(contentType)}`}`,
    )
  }
  const parsed = parseBoundedJson(text)
  switch (parsed.type) {
    case 'value':
      return parsed.value
    case 'too-deep':
      throw new QuarterdeckError('request.invalid', `the body is ${parsed.why}`)
    case 'not-json': {
      const { why, cause } = parsed
      throw new QuarterdeckError('request.invalid-json', `the body is not JSON: ${why}`, { cause })
    }
    default:
      return assertNever(parsed)
  }
}

export type ParsedJson =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'too-deep'; readonly why: string }
  | { readonly type: 'not-json'; readonly why: string; readonly cause: unknown }

/** JSON that somebody sent, bounded in depth. What to say about one that is none is the caller's. */
export function parseBoundedJson(text: string): ParsedJson {
  if (depthOf(text) > maxJsonDepth) return { type: 'too-deep', why: `nested more than ${maxJsonDepth} levels deep` }
  try {
    return { type: 'value', value: JSON.parse(text) }
  } catch (cause) {
    const why = text.trim() === '' ? 'it is empty' : cause instanceof Error ? cause.message : String(cause)
    return { type: 'not-json', why, cause }
  }
}

/** Counted on the text, so that nothing deep is ever built. Brackets inside strings do not count. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (inString) {
      if (character === '\\') index += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') {
      depth += 1
      deepest = Math.max(deepest, depth)
    } else if (character === '}' || character === ']') depth -= 1
  }
  return deepest
}

const tooLarge = (maxBytes: number, but = '') =>
  new QuarterdeckError(
    'request.too-large',
    `the body is larger than ${maxBytes} bytes (${Math.floor(maxBytes / 1024 / 1024)} MiB)${but}: send less`,
  )

const tooSlow = () =>
  new QuarterdeckError('request.timeout', 'the body did not arrive in time: send it without pauses, or send less')
