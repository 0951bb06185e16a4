// Pictures that go with a message. They lie in the event of the message and nowhere else: states only count them.
import { z } from 'zod'

export const InputImage = z.object({
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  /** Base64. */
  data: z.string(),
})
export type InputImage = z.infer<typeof InputImage>

/** In bytes of the pictures themselves. All of a message fit into one request to a provider. */
export const imageLimits = { count: 10, bytes: 5 * 1024 * 1024, totalBytes: 20 * 1024 * 1024 } as const

/** As clients send them: whole, small enough, and what they say they are. A provider would refuse every later message. */
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
      .refine(isWhatItSays, 'is not a picture of its mediaType'),
  )
  .max(imageLimits.count)
  .refine((images) => totalBytes(images) <= imageLimits.totalBytes, 'must be at most 20 MiB together')

/** Looks for what does not belong: a pattern of the whole remembers its way through, too much for a large picture. */
export function isBase64(data: string): boolean {
  const padding = /={0,2}$/.exec(data.slice(-2))?.[0].length ?? 0
  const digits = padding === 0 ? data : data.slice(0, -padding)
  return digits !== '' && !/[^A-Za-z0-9+/]/.test(digits)
}

/** How many bytes a text of base64 stands for. */
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

/** The type of a picture by how it begins; `null` for one that no provider takes. */
export function imageTypeOf(data: string): InputImage['mediaType'] | null {
  const beginning = firstBytes(data)
  return InputImage.shape.mediaType.options.find((type) => beginnings[type].test(beginning)) ?? null
}

function isWhatItSays({ mediaType, data }: InputImage): boolean {
  return imageTypeOf(data) === mediaType
}

/** One character for each byte. */
function firstBytes(data: string): string {
  try {
    return atob(data.slice(0, 16))
  } catch {
    // No base64: it is refused as such.
    return ''
  }
}
