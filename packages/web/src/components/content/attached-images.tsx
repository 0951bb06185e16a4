interface AttachedImagesProps {
  readonly images: readonly { readonly mediaType: string; readonly data: string }[]
}

/** Thumbnails of the images sent with a message. They come from the log: nothing is fetched from elsewhere. */
export function AttachedImages({ images }: AttachedImagesProps) {
  if (images.length === 0) return null
  return (
    <span className="attached-images">
      {images.map(({ mediaType, data }, index) => (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: the images of a message never change their places
          key={index}
          src={`data:${mediaType};base64,${data}`}
          alt={`Attachment ${index + 1} of ${images.length}`}
        />
      ))}
    </span>
  )
}
