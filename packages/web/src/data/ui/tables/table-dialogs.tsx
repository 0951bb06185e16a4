import { visibleText } from '@quarterdeck/protocol'
import { createPortal } from 'react-dom'
import { useStore } from '../../../hooks/use-store.ts'
import { countLabel } from '../../domain/count-label.ts'
import type { DataServices } from '../../domain/data-services.ts'
import { ConfirmRemove } from '../controls/confirm-remove.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import type { useTableActions } from './use-table-actions.ts'

interface TableDialogsProps {
  readonly services: DataServices
  readonly used: ReturnType<typeof useTableActions>
}

/** The dialogs of table actions, rendered at the end of the document. */
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
      <ConfirmRemove
        title={`Remove ${visibleText(table.name)}?`}
        action="Remove from this browser"
        onRemove={() => services.removeTable(table.name)}
        onClose={close}
      >
        This deletes the table and its {countLabel(table.rowCount, 'row')} from this browser. Your own file{' '}
        {visibleText(table.source.file)} is not changed, and existing answers stay.
      </ConfirmRemove>
    ),
    document.body,
  )
}
