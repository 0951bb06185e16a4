interface PicturesProps {
  readonly images: readonly { readonly mediaType: string; readonly data: string }[]
}

/** Thumbnails of the pictures sent with a message. They come from the log: nothing is fetched from elsewhere. */
export function Pictures({ images }: PicturesProps) {
  if (images.length === 0) return null
  return (
    <span className="pictures">
      {images.map(({ mediaType, data }, index) => (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of a message never change their places
          key={index}
          src={`data:${mediaType};base64,${data}`}
          alt={`Attachment ${index + 1} of ${images.length}`}
        />
      ))}
    </span>
  )
}
