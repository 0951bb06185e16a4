import type { SessionState } from '@quarterdeck/protocol'
import { Pencil } from 'lucide-react'
import { Button } from '../../../components/controls/button.tsx'
import { RenameForm } from '../../../components/controls/rename-form.tsx'
import { sessionName } from '../../../components/status/session-name.ts'

interface SessionTitleProps {
  readonly session: SessionState
  readonly isRenaming: boolean
  readonly onRenaming: (isRenaming: boolean) => void
  /** Resolves to false when the title was rejected. The form then stays open. */
  readonly onRename: (title: string) => Promise<boolean>
}

/** The title, renamed in place: Enter saves, Escape cancels. */
export function SessionTitle({ session, isRenaming, onRenaming, onRename }: SessionTitleProps) {
  const title = session.title || session.agentName
  return (
    <div className="title-row">
      <h1 className={isRenaming ? 'visually-hidden' : 'ellipsis'}>{sessionName(session)}</h1>
      {isRenaming ? (
        <RenameForm title={title} onRename={onRename} onBack={() => onRenaming(false)} />
      ) : (
        <Button variant={['s', 'quiet', 'square', 'rename']} aria-label="Rename" onClick={() => onRenaming(true)}>
          <Pencil className="icon s" aria-hidden="true" />
        </Button>
      )}
    </div>
  )
}
