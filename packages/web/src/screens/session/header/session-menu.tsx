import { isBusyStatus, isClosedStatus, resumeObstacle, type SessionState } from '@quarterdeck/protocol'
import { Ellipsis } from 'lucide-react'
import { Menu } from '../../../components/controls/menu.tsx'
import type { SessionActions } from '../actions/use-session-actions.ts'
import { canPause } from './can-pause.ts'

export interface SessionMenuProps {
  readonly session: SessionState
  readonly actions: SessionActions
  readonly onSettings: () => void
  readonly onRename: () => void
  readonly onDelete: () => void
}

/** Actions that are rare or do not fit into the header. */
export function SessionMenu(props: SessionMenuProps) {
  return (
    <Menu label="More" icon={<Ellipsis className="icon" aria-hidden="true" />}>
      {(choose) =>
        entriesOf(props).map(({ name, detail, run, isDangerous = false }) => (
          <button type="button" key={name} className={isDangerous ? 'danger' : undefined} onClick={choose(run)}>
            {name}
            <small>{detail}</small>
          </button>
        ))
      }
    </Menu>
  )
}

interface Entry {
  readonly name: string
  readonly detail: string
  readonly run: () => void
  readonly isDangerous?: boolean
}

function entriesOf({ session, actions, onSettings, onRename, onDelete }: SessionMenuProps): readonly Entry[] {
  const { isArchived, status } = session
  const isClosed = isClosedStatus(status)
  const isBusy = isBusyStatus(status)
  const archive = isArchived
    ? { name: 'Unarchive', detail: 'Show it in the list again' }
    : { name: 'Archive', detail: 'Hide it from the list; nothing else changes' }
  const when = (isThere: boolean, entry: Entry): readonly Entry[] => (isThere ? [entry] : [])
  return [
    ...when(canPause(session), { name: 'Pause', detail: 'Stop the turn and hold queued messages', run: actions.pause }),
    ...when(resumeObstacle(session) === null, {
      name: 'Resume',
      detail: 'Continue where it stopped',
      run: actions.resume,
    }),
    ...when(!isClosed, { name: 'Settings', detail: 'Model, permissions, thinking, limits, tags', run: onSettings }),
    { name: 'Rename', detail: 'Change the title', run: onRename },
    { name: 'Fork', detail: 'A new session with the same conversation', run: () => void actions.fork() },
    { name: 'Export the log', detail: 'Every event, one JSON object per line', run: actions.exportLog },
    { name: 'Export as Markdown', detail: 'The conversation as readable text', run: actions.exportMarkdown },
    { ...archive, run: () => void actions.change({ isArchived: !isArchived }) },
    ...when(!isBusy && !isClosed, {
      name: 'Close',
      detail: 'Ends the session. It accepts no more messages and stays readable.',
      run: actions.close,
    }),
    ...when(!isClosed, {
      name: 'Cancel',
      detail: 'Stop all running work and close the session as cancelled',
      run: actions.cancel,
      isDangerous: true,
    }),
    ...when(!isBusy, {
      name: 'Delete',
      detail: 'Removes its log, transcript and workspace. Asks for confirmation.',
      run: onDelete,
      isDangerous: true,
    }),
  ]
}
