// Pictures of tools, as far as models take them. One that a provider refuses would stay in the conversation, and every
// later message would be refused with it.
import { type InputImage, imageBytes, imageLimits, imageTypeOf, isBase64 } from '@quarterdeck/protocol'

export interface Picture {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

export interface TakenImages {
  readonly images: readonly InputImage[]
  /** One line for each that is left out. */
  readonly leftOut: readonly string[]
}

/** Of what type a picture is it says itself: what is said of it may be wrong. */
export function takeImages(pictures: readonly Picture[]): TakenImages {
  const images: InputImage[] = []
  const leftOut: string[] = []
  let bytes = 0
  for (const { mediaType, data } of pictures) {
    const size = imageBytes(data)
    const type = data.length % 4 === 0 && isBase64(data) ? imageTypeOf(data) : null
    if (type === null) leftOut.push(`[a picture that cannot be shown: ${mediaType.slice(0, 100)}]`)
    else if (size > imageLimits.bytes) leftOut.push('[a picture: too large]')
    else if (images.length === imageLimits.count || bytes + size > imageLimits.totalBytes) {
      leftOut.push('[a picture: too many at once]')
    } else {
      images.push({ mediaType: type, data })
      bytes += size
    }
  }
  return { images, leftOut }
}
