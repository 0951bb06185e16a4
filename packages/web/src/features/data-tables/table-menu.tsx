import { visibleText } from '@quarterdeck/protocol'
import { Ellipsis } from 'lucide-react'
import type { KeptTable } from '../../analysis/kept-table.ts'
import { Menu } from '../../ui/menu.tsx'

export interface TableActs {
  /** Absent where there is no place for a profile. */
  readonly onProfile?: (table: string) => void
  readonly onRejected: (table: string) => void
  readonly onReadAgain: (table: string) => void
  readonly onRename: (table: string) => void
  readonly onRemove: (table: string) => void
}

export function TableMenu({ table, acts }: { readonly table: KeptTable; readonly acts: TableActs }) {
  const { name, rejectedCount } = table
  const { onProfile } = acts
  return (
    <Menu label={`More for ${visibleText(name)}`} icon={<Ellipsis className="icon s" aria-hidden="true" />}>
      {(choose) => (
        <>
          {onProfile !== undefined && (
            <button type="button" onClick={choose(() => onProfile(name))}>
              Profile
            </button>
          )}
          <button type="button" onClick={choose(() => acts.onRename(name))}>
            Rename
          </button>
          {rejectedCount > 0 && (
            <button type="button" onClick={choose(() => acts.onRejected(name))}>
              Review rejected rows
            </button>
          )}
          <button type="button" onClick={choose(() => acts.onReadAgain(name))}>
            Read the file again
            <small>With other names, types or columns</small>
          </button>
          <button type="button" className="danger" onClick={choose(() => acts.onRemove(name))}>
            Remove
          </button>
        </>
      )}
    </Menu>
  )
}
