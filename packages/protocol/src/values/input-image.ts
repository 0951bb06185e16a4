// Images of a message. They are stored only in the event of the message; states contain their number.
import { z } from 'zod'

export const InputImage = z.object({
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  /** Base64. */
  data: z.string(),
})
export type InputImage = z.infer<typeof InputImage>

/** In bytes of the images themselves. All images of a message fit into one request to a provider. */
export const imageLimits = { count: 10, bytes: 5 * 1024 * 1024, totalBytes: 20 * 1024 * 1024 } as const

/**
 * As sent by clients: complete, small enough and of the declared type. A provider would refuse every later message
 * otherwise.
 */
export const MessageImages = z
  .array(
    z
      .strictObject({
        mediaType: InputImage.shape.mediaType,
        data: z
          .string()
          .refine(isBase64, 'must be base64')
          .refine((data) => imageBytes(data) <= imageLimits.bytes, 'must be at most 5 MiB'),
      })
      .refine(hasDeclaredType, 'is not an image of its mediaType'),
  )
  .max(imageLimits.count)
  .refine((images) => totalBytes(images) <= imageLimits.totalBytes, 'must be at most 20 MiB together')

/** Searches for invalid characters: a pattern for the whole text would need too much memory for a large image. */
export function isBase64(data: string): boolean {
  const padding = /={0,2}$/.exec(data.slice(-2))?.[0].length ?? 0
  const digits = padding === 0 ? data : data.slice(0, -padding)
  return digits !== '' && !/[^A-Za-z0-9+/]/.test(digits)
}

/** The number of bytes that a base64 text encodes. */
export function imageBytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.floor((data.length * 3) / 4) - padding
}

const totalBytes = (images: readonly { readonly data: string }[]): number =>
  images.reduce((sum, { data }) => sum + imageBytes(data), 0)

const beginnings: Readonly<Record<InputImage['mediaType'], RegExp>> = {
  'image/png': /^\u0089PNG/,
  'image/jpeg': /^\u00ff\u00d8\u00ff/,
  'image/gif': /^GIF8/,
  'image/webp': /^RIFF[\s\S]{4}WEBP/,
}

/** The type of an image by its first bytes; `null` if no provider accepts it. */
export function imageTypeOf(data: string): InputImage['mediaType'] | null {
  const beginning = firstBytes(data)
  return InputImage.shape.mediaType.options.find((type) => beginnings[type].test(beginning)) ?? null
}

function hasDeclaredType({ mediaType, data }: InputImage): boolean {
  return imageTypeOf(data) === mediaType
}

/** One character for each byte. */
function firstBytes(data: string): string {
  try {
    return atob(data.slice(0, 16))
  } catch {
    // Not base64: refused with that reason.
    return ''
  }
}
