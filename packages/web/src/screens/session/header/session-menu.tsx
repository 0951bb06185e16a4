import { isBusyStatus, isClosedStatus, type SessionState } from '@quarterdeck/protocol'
import { Ellipsis } from 'lucide-react'
import { Menu } from '../../../components/controls/menu.tsx'
import type { SessionActions } from '../actions/use-session-actions.ts'
import { canPause } from './can-pause.ts'
import { canResume } from './can-resume.ts'

interface SessionMenuProps {
  readonly session: SessionState
  readonly actions: SessionActions
  readonly onSettings: () => void
  readonly onRename: () => void
  readonly onDelete: () => void
}

/** What the head has no room for, and what is done once. */
export function SessionMenu(props: SessionMenuProps) {
  return (
    <Menu label="More" icon={<Ellipsis className="icon" aria-hidden="true" />}>
      {(choose) =>
        entriesOf(props).map(({ name, about, act, isGrave = false }) => (
          <button type="button" key={name} className={isGrave ? 'minus' : undefined} onClick={choose(act)}>
            {name}
            <small>{about}</small>
          </button>
        ))
      }
    </Menu>
  )
}

interface Entry {
  readonly name: string
  readonly about: string
  readonly act: () => void
  readonly isGrave?: boolean
}

function entriesOf({ session, actions, onSettings, onRename, onDelete }: SessionMenuProps): readonly Entry[] {
  const { isArchived, status } = session
  const isClosed = isClosedStatus(status)
  const isBusy = isBusyStatus(status)
  const archive = isArchived
    ? { name: 'Take out of the archive', about: 'Back into the list' }
    : { name: 'Archive', about: 'Out of the list, kept as it is' }
  const when = (isThere: boolean, entry: Entry): readonly Entry[] => (isThere ? [entry] : [])
  return [
    ...when(canPause(session), { name: 'Pause', about: 'Stop the turn and hold what waits', act: actions.pause }),
    ...when(canResume(session), { name: 'Resume', about: 'Go on where it stopped', act: actions.resume }),
    ...when(!isClosed, { name: 'Settings', about: 'Model, permissions, thinking, limits, tags', act: onSettings }),
    { name: 'Rename', about: 'Another title, in place', act: onRename },
    { name: 'Fork', about: 'A new session with everything this one knows', act: () => void actions.fork() },
    { name: 'Export the log', about: 'Every event, one JSON object a line', act: actions.exportLog },
    { name: 'Export as Markdown', about: 'The conversation, to read', act: actions.exportMarkdown },
    { ...archive, act: () => void actions.change({ isArchived: !isArchived }) },
    ...when(!isBusy && !isClosed, {
      name: 'Close',
      about: 'Done with it: takes no further message, stays readable',
      act: actions.close,
    }),
    ...when(!isClosed, {
      name: 'Cancel',
      about: 'Stop whatever runs and close the session as cancelled',
      act: actions.cancel,
      isGrave: true,
    }),
    ...when(!isBusy, {
      name: 'Delete',
      about: 'Its log, transcript and workspace; asks first',
      act: onDelete,
      isGrave: true,
    }),
  ]
}
