import type { InputImage } from '../backends/backend.ts'

const known: readonly string[] = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
] satisfies InputImage['mediaType'][]

const isKnown = (mediaType: string): mediaType is InputImage['mediaType'] => known.includes(mediaType)

/** The pictures that models take; others are left out. */
export const asImages = (
  images: readonly { readonly mediaType: string; readonly data: string }[],
): readonly InputImage[] => images.flatMap(({ mediaType, data }) => (isKnown(mediaType) ? [{ mediaType, data }] : []))
