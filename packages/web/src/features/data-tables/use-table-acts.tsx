import { type ReactNode, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Workspace } from '../../analysis/workspace.ts'
import { useStore } from '../../hooks/use-store.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import type { TableActs } from './table-menu.tsx'

interface Asked {
  readonly kind: 'rename' | 'remove'
  readonly table: string
}

/** What can be done with a table, and the dialogs it takes; they go to the end of the document. */
export function useTableActs(
  workspace: Workspace,
  others: Omit<TableActs, 'onRename' | 'onRemove'>,
): { readonly acts: TableActs; readonly dialogs: ReactNode } {
  const { tables, missing } = useStore(workspace.tables)
  const [asked, setAsked] = useState<Asked | null>(null)
  const all = [...(tables ?? []), ...missing]
  const table = all.find(({ name }) => name === asked?.table)
  const close = () => setAsked(null)
  return {
    acts: {
      ...others,
      onRename: (name) => setAsked({ kind: 'rename', table: name }),
      onRemove: (name) => setAsked({ kind: 'remove', table: name }),
    },
    dialogs:
      table === undefined
        ? null
        : createPortal(
            asked?.kind === 'rename' ? (
              <RenameDialog
                table={table.name}
                names={all.map(({ name }) => name)}
                onRename={(name) => workspace.renameTable(table.name, name)}
                onClose={close}
              />
            ) : (
              <RemoveDialog table={table} onRemove={() => workspace.removeTable(table.name)} onClose={close} />
            ),
            document.body,
          ),
  }
}
