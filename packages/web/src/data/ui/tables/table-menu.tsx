import { visibleText } from '@quarterdeck/protocol'
import { Ellipsis } from 'lucide-react'
import { Menu } from '../../../components/controls/menu.tsx'
import type { ImportedTable } from '../../domain/imported-table.ts'

export interface TableActions {
  /** Absent if the page has no profile. */
  readonly onProfile?: (table: string) => void
  readonly onRejected: (table: string) => void
  readonly onReadAgain: (table: string) => void
  readonly onRename: (table: string) => void
  readonly onRemove: (table: string) => void
}

export function TableMenu({ table, actions }: { readonly table: ImportedTable; readonly actions: TableActions }) {
  const { name, rejectedCount } = table
  const { onProfile } = actions
  return (
    <Menu label={`More for ${visibleText(name)}`} icon={<Ellipsis className="icon s" aria-hidden="true" />}>
      {(choose) => (
        <>
          {onProfile !== undefined && (
            <button type="button" onClick={choose(() => onProfile(name))}>
              Profile
            </button>
          )}
          <button type="button" onClick={choose(() => actions.onRename(name))}>
            Rename
          </button>
          {rejectedCount > 0 && (
            <button type="button" onClick={choose(() => actions.onRejected(name))}>
              Review rejected rows
            </button>
          )}
          <button type="button" onClick={choose(() => actions.onReadAgain(name))}>
            Read the file again
            <small>With other names, types or columns</small>
          </button>
          <button type="button" className="danger" onClick={choose(() => actions.onRemove(name))}>
            Remove
          </button>
        </>
      )}
    </Menu>
  )
}
