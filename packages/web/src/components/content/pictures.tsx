interface PicturesProps {
  readonly images: readonly { readonly mediaType: string; readonly data: string }[]
}

/** What went with a message, small. Only what the log itself holds is shown: nothing is fetched from anywhere. */
export function Pictures({ images }: PicturesProps) {
  if (images.length === 0) return null
  return (
    <span className="pictures">
      {images.map(({ mediaType, data }, index) => (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of a message never change their places
          key={index}
          src={`data:${mediaType};base64,${data}`}
          alt={`Sent with the message, ${index + 1} of ${images.length}`}
        />
      ))}
    </span>
  )
}
