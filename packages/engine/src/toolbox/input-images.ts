// Selects the images of a tool result that models accept. An image that a provider refuses would stay in the
// conversation, and every later message would be refused with it.
import { type InputImage, imageBytes, imageLimits, imageTypeOf, isBase64 } from '@quarterdeck/protocol'

export interface ToolImage {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

/** Detected from the content, because the declared type may be wrong. */
export function takeImages(candidates: readonly ToolImage[]) {
  const images: InputImage[] = []
  /** One line for each image that is left out. */
  const leftOut: string[] = []
  let bytes = 0
  for (const { mediaType, data } of candidates) {
    const size = imageBytes(data)
    const type = data.length % 4 === 0 && isBase64(data) ? imageTypeOf(data) : null
    if (type === null) leftOut.push(`[an image that cannot be shown: ${mediaType.slice(0, 100)}]`)
    else if (size > imageLimits.bytes) leftOut.push('[an image: too large]')
    else if (images.length === imageLimits.count || bytes + size > imageLimits.totalBytes) {
      leftOut.push('[an image: too many at once]')
    } else {
      images.push({ mediaType: type, data })
      bytes += size
    }
  }
  return { images, leftOut }
}
