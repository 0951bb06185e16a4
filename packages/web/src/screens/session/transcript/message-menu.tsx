import type { TextItem, UserItem } from '@quarterdeck/protocol'
import { Ellipsis } from 'lucide-react'
import { Menu } from '../../../components/controls/menu.tsx'
import type { RowActions } from './row-actions.ts'

interface MessageMenuProps {
  readonly item: UserItem | TextItem
  readonly onMessage: RowActions['onMessage']
}

/** Other ways on from here: a session of its own, or back to before these words. */
export function MessageMenu({ item, onMessage }: MessageMenuProps) {
  const isPersons = item.type === 'user'
  return (
    <Menu label={`More on message ${item.seq ?? ''}`} icon={<Ellipsis className="icon s" aria-hidden="true" />}>
      {(choose) => (
        <>
          <button type="button" onClick={choose(() => onMessage('fork', item))}>
            Fork here
            <small>
              {isPersons
                ? 'A new session that answers this message anew; this one stays'
                : 'A new session that goes on from here; this one stays'}
            </small>
          </button>
          {isPersons && (
            <button type="button" onClick={choose(() => onMessage('rewind', item))}>
              Rewind to before this
              <small>Take back the conversation, the files, or both; shows first what that does</small>
            </button>
          )}
        </>
      )}
    </Menu>
  )
}
