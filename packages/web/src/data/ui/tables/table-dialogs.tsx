import { createPortal } from 'react-dom'
import { useStore } from '../../../hooks/use-store.ts'
import { countLabel } from '../../domain/count-label.ts'
import type { DataServices } from '../../domain/data-services.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { ConfirmRemove } from '../controls/confirm-remove.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import type { UsedTableActions } from './use-table-actions.ts'

/** The dialogs of table actions, rendered at the end of the document. */
export function TableDialogs({ services, used }: { readonly services: DataServices; readonly used: UsedTableActions }) {
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

interface RemoveDialogProps {
  readonly table: ImportedTable
  readonly onRemove: () => Promise<void>
  readonly onClose: () => void
}

function RemoveDialog({ table, onRemove, onClose }: RemoveDialogProps) {
  return (
    <ConfirmRemove
      title={`Remove ${table.name}?`}
      action="Remove from this browser"
      onRemove={onRemove}
      onClose={onClose}
    >
      {countLabel(table.rowCount, 'row')} of it {table.rowCount === 1 ? 'leaves' : 'leave'} this browser. Your own file{' '}
      {table.source.file} is not changed, and existing answers stay.
    </ConfirmRemove>
  )
}
