// Reads the whole body, bounded in bytes, time and depth, before anything else uses it.
import { imageLimits, isRecord, messageOf, QuarterdeckError } from '@quarterdeck/protocol'
import type { Context } from 'hono'
import type { AppEnv } from './app-env.ts'
import { defaultBodyTiming, readChunks } from './body-timing.ts'

export const maxBodyBytes = 1024 * 1024
/** Images are base64: four characters for three bytes. */
export const maxBodyBytesWithImages = maxBodyBytes + Math.ceil(imageLimits.totalBytes / 3) * 4
export const maxJsonDepth = 64

/** The body as text; empty if there is none. */
export async function readBody(c: Context<AppEnv>, maxBytes = maxBodyBytes): Promise<string> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const body = c.req.raw.body
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of readChunks(body, c.get('bodyTiming') ?? defaultBodyTiming)) {
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

/**
 * Routes that take images read up to `maxBodyBytesWithImages`. Without the image data the JSON must still fit into
 * `maxBodyBytes`.
 */
export function limitBytesBesideImages(text: string, value: unknown): void {
  const images = isRecord(value) && Array.isArray(value.images) ? value.images : []
  const imageBytes = images.reduce(
    (sum: number, image: unknown) => sum + (isRecord(image) && typeof image.data === 'string' ? image.data.length : 0),
    0,
  )
  if (Buffer.byteLength(text) - imageBytes > maxBodyBytes) throw tooLarge(maxBodyBytes, ', not counting images')
}

export function parseJsonBody(text: string, contentType: string | undefined): unknown {
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')) {
    throw new QuarterdeckError(
      'request.unsupported-media-type',
      `send the body as "content-type: application/json"${contentType === undefined ? '' : `, not ${JSON.stringify(contentType)}`}`,
    )
  }
  const parsed = parseBoundedJson(text)
  if (parsed.type === 'value') return parsed.value
  if (parsed.type === 'too-deep') throw new QuarterdeckError('request.invalid', `the body is ${parsed.why}`)
  const { why, cause } = parsed
  throw new QuarterdeckError('request.invalid-json', `the body is not JSON: ${why}`, { cause })
}

export type ParsedJson =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'too-deep'; readonly why: string }
  | { readonly type: 'not-json'; readonly why: string; readonly cause: unknown }

/** JSON from a client, bounded in depth. The caller reports the error. */
export function parseBoundedJson(text: string): ParsedJson {
  if (depthOf(text) > maxJsonDepth) return { type: 'too-deep', why: `nested more than ${maxJsonDepth} levels deep` }
  try {
    return { type: 'value', value: JSON.parse(text) }
  } catch (cause) {
    const why = text.trim() === '' ? 'it is empty' : messageOf(cause)
    return { type: 'not-json', why, cause }
  }
}

/** Counted on the text, so that no deep value is ever built. Brackets inside strings do not count. */
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

const tooLarge = (maxBytes: number, exception = '') =>
  new QuarterdeckError(
    'request.too-large',
    `the body is larger than ${maxBytes} bytes (${Math.floor(maxBytes / 1024 / 1024)} MiB)${exception}: send less`,
  )
