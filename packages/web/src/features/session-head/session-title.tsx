import type { SessionState } from '@quarterdeck/protocol'
import { Pencil } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { sessionName } from '../../ui/session-name.ts'

interface SessionTitleProps {
  readonly session: SessionState
  readonly isRenaming: boolean
  readonly onRenaming: (isRenaming: boolean) => void
  /** Resolves to false when it was not accepted: the words then stay. */
  readonly onRename: (title: string) => Promise<boolean>
}

/** The title, renamed in place: Enter keeps, Escape leaves it as it was. */
export function SessionTitle({ session, isRenaming, onRenaming, onRename }: SessionTitleProps) {
  const title = session.title || session.agentName
  return (
    <div className="title-row">
      <h1 className={isRenaming ? 'unseen' : 'cut'}>{sessionName(session)}</h1>
      {isRenaming ? (
        <RenameForm title={title} onRename={onRename} onBack={() => onRenaming(false)} />
      ) : (
        <Button look={['s', 'quiet', 'square', 'rename']} aria-label="Rename" onClick={() => onRenaming(true)}>
          <Pencil className="icon s" aria-hidden="true" />
        </Button>
      )}
    </div>
  )
}

interface RenameFormProps {
  readonly title: string
  readonly onRename: (title: string) => Promise<boolean>
  readonly onBack: () => void
}

function RenameForm({ title, onRename, onBack }: RenameFormProps) {
  const [draft, setDraft] = useState(title)
  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    const next = draft.trim()
    if (next === '' || next === title || (await onRename(next))) onBack()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onBack()
  }
  return (
    <form className="row grow" onSubmit={(event) => void save(event)}>
      <input
        className="field"
        aria-label="Title"
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className="btn s">
        Save
      </button>
    </form>
  )
}
