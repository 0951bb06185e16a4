import { cut, longestOutput } from './longest-output.ts'
import type { RunnerImage } from './worker-message.ts'

interface Returned {
  readonly output: string
  readonly images: readonly RunnerImage[]
}

/** A string unchanged, `{content, images}` as text and images, anything else as JSON. */
export function outputOf(value: unknown): Returned {
  const images = imagesOf(value)
  if (images === null) return { output: cut(textOf(value), longestOutput), images: [] }
  const content = typeof value === 'object' && value !== null && 'content' in value ? value.content : ''
  return { output: cut(textOf(content), longestOutput), images }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return 'done'
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one)) ?? String(value)
}

/** Null if the value does not have that shape. */
function imagesOf(value: unknown): readonly RunnerImage[] | null {
  if (typeof value !== 'object' || value === null || !('images' in value) || !Array.isArray(value.images)) return null
  const images = value.images.map(imageOf)
  return images.every((image) => image !== null) ? images : null
}

function imageOf(value: unknown): RunnerImage | null {
  if (typeof value !== 'object' || value === null) return null
  const { mediaType, mimeType, data }: { mediaType?: unknown; mimeType?: unknown; data?: unknown } = value
  const type = mediaType ?? mimeType
  if (typeof type !== 'string') return null
  if (typeof data === 'string') return { mediaType: type, data }
  return data instanceof Uint8Array ? { mediaType: type, data: Buffer.from(data).toString('base64') } : null
}
