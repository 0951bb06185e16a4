import { createPortal } from 'react-dom'
import { useStore } from '../../../hooks/use-store.ts'
import type { DataServices } from '../../domain/data-services.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import type { UsedTableActions } from './use-table-actions.ts'

interface TableDialogsProps {
  readonly services: DataServices
  readonly used: UsedTableActions
}

/** The dialogs that acts on tables take; they go to the end of the document. */
export function TableDialogs({ services, used }: TableDialogsProps) {
  const { listed: tables, missing } = useStore(services.tables)
  const { asked, close } = used
  const all = [...(tables ?? []), ...missing]
  const table = all.find(({ name }) => name === asked?.table)
  if (asked === null || table === undefined) return null
  return createPortal(
    asked.kind === 'rename' ? (
      <RenameDialog
        table={table.name}
        names={all.map(({ name }) => name)}
        onRename={(name) => services.renameTable(table.name, name)}
        onClose={close}
      />
    ) : (
      <RemoveDialog table={table} onRemove={() => services.removeTable(table.name)} onClose={close} />
    ),
    document.body,
  )
}
