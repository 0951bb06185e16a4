import { formatSpent, type SessionState, type UserItem } from '@quarterdeck/protocol'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { sessionName } from '../../../components/status/session-name.ts'
import { useSessionActions } from '../actions/use-session-actions.ts'
import { RewindDialog } from '../rewind/rewind-dialog.tsx'
import { type DialogState, SettingsDialog } from '../settings/settings-dialog.tsx'

/** The open dialog of the session page, or `null`. */
export type OpenDialog =
  | { readonly type: 'settings' }
  | { readonly type: 'delete' }
  | { readonly type: 'fork'; readonly item: UserItem }
  | { readonly type: 'rewind'; readonly item: UserItem }
  | null

export interface SessionDialogsProps {
  readonly open: OpenDialog
  readonly session: SessionState
  readonly onClose: () => void
}

/** Mounted again for each dialog. */
export function SessionDialogs({ open, session, onClose }: SessionDialogsProps) {
  const actions = useSessionActions(session)
  const tried = { failure: actions.failures[0] ?? null, isBusy: actions.isBusy, onClose }
  switch (open?.type) {
    case 'settings':
      return <SettingsDialog {...tried} session={session} onChange={actions.change} />
    case 'delete':
      return <DeleteDialog {...tried} session={session} onDelete={() => void actions.remove()} />
    case 'fork': {
      const { item } = open
      const fork = (message: string) => void actions.fork({ ...(item.seq === null ? {} : { at: item.seq }), message })
      return <ForkDialog {...tried} item={item} onFork={fork} />
    }
    case 'rewind':
      return <RewindDialog session={session} item={open.item} onClose={onClose} />
    default:
      return null
  }
}

interface DeleteDialogProps extends DialogState {
  readonly session: SessionState
  readonly onDelete: () => void
}

function DeleteDialog({ session, failure, isBusy, onDelete, onClose }: DeleteDialogProps) {
  return (
    <Dialog
      title="Delete this session?"
      onClose={onClose}
      foot={
        <Button variant={['danger']} disabled={isBusy} onClick={onDelete}>
          Delete permanently
        </Button>
      }
      problem={failure?.message}
    >
      <p>
        <b>{sessionName(session)}</b>: its log of {session.seq} events, the agent’s transcript and its workspace copy
        are removed. This cannot be undone.
      </p>
      <p className="muted">
        Its cost ({formatSpent(session)}) stays in the cost reports, and the audit trail stays complete.
      </p>
    </Dialog>
  )
}

interface ForkDialogProps extends DialogState {
  readonly item: UserItem
  readonly onFork: (message: string) => void
}

/** Forks at a user message. The new session answers that message again, or an edited version of it. */
function ForkDialog({ item, failure, isBusy, onFork, onClose }: ForkDialogProps) {
  const [draft, setDraft] = useState(item.content)
  return (
    <Dialog
      title="Fork here"
      onClose={onClose}
      foot={
        <Button variant={['primary']} disabled={isBusy || draft.trim() === ''} onClick={() => onFork(draft.trim())}>
          Fork and send
        </Button>
      }
      problem={failure?.message}
    >
      <p>
        Creates a new session with everything before this message and sends the message again. This session does not
        change.
      </p>
      <label className="stack">
        <span className="label">Message</span>
        <textarea className="field" rows={4} value={draft} onChange={(event) => setDraft(event.target.value)} />
      </label>
    </Dialog>
  )
}
