import { visibleText } from '@quarterdeck/protocol'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { useAction } from '../../../hooks/use-action.ts'
import { tableNameProblem } from '../../sql/reserved-names.ts'

interface RenameDialogProps {
  readonly table: string
  /** Names of all tables. */
  readonly names: readonly string[]
  readonly onRename: (name: string) => Promise<void>
  readonly onClose: () => void
}

export function RenameDialog({ table, names, onRename, onClose }: RenameDialogProps) {
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
      title={`Rename ${visibleText(table)}`}
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
