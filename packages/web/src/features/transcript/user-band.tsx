import type { UserItem } from '@quarterdeck/protocol'
import { CornerDownRight } from 'lucide-react'
import { Avatar } from '../../ui/avatar.tsx'

/** A person's words as a full-width band: turns are found by scanning one edge. */
export function UserBand({ item }: { readonly item: UserItem }) {
  if (item.origin === 'engine') {
    return (
      <details className="notice">
        <summary className="row muted">
          <CornerDownRight className="icon s" aria-hidden="true" />
          Quarterdeck told the agent what happened while it was away
        </summary>
        <div className="thought">{item.content}</div>
      </details>
    )
  }
  return (
    <div className="band">
      <Avatar name={item.by} />
      <span className="grow">
        <span className="unseen">{item.by} wrote: </span>
        {item.content}
      </span>
    </div>
  )
}
