import type { TextItem, UserItem } from '@quarterdeck/protocol'
import { Ellipsis } from 'lucide-react'
import { Menu } from '../../../components/controls/menu.tsx'
import type { RowActions } from './row-actions.ts'

interface MessageMenuProps {
  readonly item: UserItem | TextItem
  readonly onMessage: RowActions['onMessage']
}

/** Fork into a new session, or rewind to before this message. */
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
                ? 'A new session that answers this message again; this session is unchanged'
                : 'A new session that continues from here; this session is unchanged'}
            </small>
          </button>
          {isPersons && (
            <button type="button" onClick={choose(() => onMessage('rewind', item))}>
              Rewind to before this
              <small>Undo the conversation, the files, or both. A preview comes first.</small>
            </button>
          )}
        </>
      )}
    </Menu>
  )
}
