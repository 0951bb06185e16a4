import { isBusyStatus, isClosedStatus, type SessionState } from '@quarterdeck/protocol'
import { Ellipsis } from 'lucide-react'
import type { SessionActs } from '../../hooks/use-session-acts.ts'
import { Menu } from '../../ui/menu.tsx'
import { canPause, canResume } from './can-pause.ts'

interface SessionMenuProps {
  readonly session: SessionState
  readonly acts: SessionActs
  readonly onSettings: () => void
  readonly onRename: () => void
  readonly onDelete: () => void
}

/** What the head has no room for, and what is done once. */
export function SessionMenu({ session, acts, onSettings, onRename, onDelete }: SessionMenuProps) {
  const { status, isArchived } = session
  const isClosed = isClosedStatus(status)
  const isBusy = isBusyStatus(status)
  return (
    <Menu label="More" icon={<Ellipsis className="icon" aria-hidden="true" />}>
      {(choose) => (
        <>
          {canPause(session) && (
            <button type="button" onClick={choose(acts.pause)}>
              Pause
              <small>Stop the turn and hold what waits until somebody resumes</small>
            </button>
          )}
          {canResume(session) && (
            <button type="button" onClick={choose(acts.resume)}>
              Resume
              <small>Go on where it stopped</small>
            </button>
          )}
          {!isClosed && (
            <button type="button" onClick={choose(onSettings)}>
              Settings
              <small>Model, permissions, thinking, limits, tags</small>
            </button>
          )}
          <button type="button" onClick={choose(onRename)}>
            Rename
          </button>
          <button type="button" onClick={choose(() => void acts.fork())}>
            Fork
            <small>A new session with everything this one knows</small>
          </button>
          <button type="button" onClick={choose(acts.exportLog)}>
            Export the log
            <small>Every event, one JSON object a line</small>
          </button>
          <button type="button" onClick={choose(acts.exportMarkdown)}>
            Export as Markdown
            <small>The conversation, to read</small>
          </button>
          <button type="button" onClick={choose(() => void acts.change({ isArchived: !isArchived }))}>
            {isArchived ? 'Take out of the archive' : 'Archive'}
            <small>{isArchived ? 'Back into the list' : 'Out of the list, kept as it is'}</small>
          </button>
          {!isBusy && !isClosed && (
            <button type="button" onClick={choose(acts.close)}>
              Close
              <small>Done with it: takes no further message, stays readable</small>
            </button>
          )}
          {!isClosed && (
            <button type="button" className="minus" onClick={choose(acts.cancel)}>
              Cancel
              <small>Stop whatever runs and close the session as cancelled</small>
            </button>
          )}
          {!isBusy && (
            <button type="button" className="minus" onClick={choose(onDelete)}>
              Delete
              <small>Its log, transcript and workspace; asks first</small>
            </button>
          )}
        </>
      )}
    </Menu>
  )
}
