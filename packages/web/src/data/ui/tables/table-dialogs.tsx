import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { useAction } from '../../../hooks/use-action.ts'
import { useStore } from '../../../hooks/use-store.ts'
import { countLabel } from '../../domain/count-label.ts'
import type { DataServices } from '../../domain/data-services.ts'
import { tableNameProblem } from '../../sql/reserved-names.ts'
import { ConfirmRemove } from '../controls/confirm-remove.tsx'
import type { TableActions } from './table-menu.tsx'

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
        title={`Remove ${table.name}?`}
        action="Remove from this browser"
        onRemove={() => services.removeTable(table.name)}
        onClose={close}
      >
        This deletes the table and its {countLabel(table.rowCount, 'row')} from this browser. Your own file{' '}
        {table.source.file} is not changed, and existing answers stay.
      </ConfirmRemove>
    ),
    document.body,
  )
}

interface RenameDialogProps {
  readonly table: string
  /** Names of all tables. */
  readonly names: readonly string[]
  readonly onRename: (name: string) => Promise<void>
  readonly onClose: () => void
}

function RenameDialog({ table, names, onRename, onClose }: RenameDialogProps) {
  const [name, setName] = useState(table)
  const rename = useAction()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const problem =
    tableNameProblem(
      name.trim(),
      names.filter((one) => one !== table),
    ) ??
    rename.failure?.message ??
    null

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (name.trim() === table) return onClose()
    if (problem === null && (await rename.run(() => onRename(name.trim())))) onClose()
  }

  return (
    <Dialog
      title={`Rename ${table}`}
      onClose={onClose}
      foot={
        <button className="btn primary" type="submit" form={id} disabled={problem !== null || rename.isBusy}>
          Rename
        </button>
      }
      problem={problem}
    >
      <form id={id} onSubmit={(event) => void submit(event)}>
        <label className="stack">
          <span className="label">Table name</span>
          <input
            ref={field}
            className="field"
            value={name}
            spellCheck={false}
            maxLength={200}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
      </form>
      <p className="muted">Steps that use {table} by its old name no longer run.</p>
    </Dialog>
  )
}

/** Actions on a table, some with a confirmation. */
export function useTableActions(others: Omit<TableActions, 'onRename' | 'onRemove'>) {
  const [asked, setAsked] = useState<{ readonly kind: 'rename' | 'remove'; readonly table: string } | null>(null)
  return {
    actions: {
      ...others,
      onRename: (table: string) => setAsked({ kind: 'rename', table }),
      onRemove: (table: string) => setAsked({ kind: 'remove', table }),
    },
    /** The open dialog; `TableDialogs` shows it. */
    asked,
    close: () => setAsked(null),
  }
}
