import type { UserItem } from '@quarterdeck/protocol'
import { CornerDownRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { AttachedImages } from '../../../components/content/attached-images.tsx'
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
