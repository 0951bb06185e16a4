import { createPortal } from 'react-dom'
import type { Workspace } from '../../analysis/workspace.ts'
import { useStore } from '../../hooks/use-store.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import type { UsedTableActs } from './use-table-acts.ts'

interface TableDialogsProps {
  readonly workspace: Workspace
  readonly used: UsedTableActs
}

/** The dialogs that acts on tables take; they go to the end of the document. */
export function TableDialogs({ workspace, used }: TableDialogsProps) {
  const { listed: tables, missing } = useStore(workspace.tables)
  const { asked, close } = used
  const all = [...(tables ?? []), ...missing]
  const table = all.find(({ name }) => name === asked?.table)
  if (asked === null || table === undefined) return null
  return createPortal(
    asked.kind === 'rename' ? (
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
  )
}
