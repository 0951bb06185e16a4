import type { UserItem } from '@quarterdeck/protocol'
import { CornerDownRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar } from '../../../components/controls/avatar.tsx'

/** A user message as a full-width band, so that turns are easy to find while scrolling. */
export function UserBand({ item, menu }: { readonly item: UserItem; readonly menu: ReactNode }) {
  if (item.origin === 'engine') {
    return (
      <details className="notice">
        <summary className="row muted">
          <CornerDownRight className="icon s" aria-hidden="true" />
          Quarterdeck told the agent what happened so that it can continue
        </summary>
        <div className="thought">{item.content}</div>
      </details>
    )
  }
  return (
    <div className="band">
      <Avatar name={item.by} />
      <span className="grow">
        <span className="visually-hidden">{item.by} wrote: </span>
        {item.content}
        <AttachedImages images={item.images} />
      </span>
      {menu}
    </div>
  )
}

/** Thumbnails of the images sent with a message. They come from the log: nothing is fetched from elsewhere. */
function AttachedImages({ images }: Pick<UserItem, 'images'>) {
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
