import { formatSpent, type QuarterdeckError, type SessionState } from '@quarterdeck/protocol'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { sessionName } from '../../ui/session-name.ts'

interface DeleteDialogProps {
  readonly session: SessionState
  readonly failure: QuarterdeckError | null
  readonly isBusy: boolean
  readonly onDelete: () => void
  readonly onClose: () => void
}

export function DeleteDialog({ session, failure, isBusy, onDelete, onClose }: DeleteDialogProps) {
  return (
    <Dialog
      title="Delete this session?"
      onClose={onClose}
      foot={
        <>
          <Button look={['danger']} disabled={isBusy} onClick={onDelete}>
            Delete for good
          </Button>
          <Button look={['quiet']} onClick={onClose}>
            Keep it
          </Button>
          {failure !== null && (
            <p className="problem" role="alert">
              {failure.message}
            </p>
          )}
        </>
      }
    >
      <p>
        <b>{sessionName(session)}</b>: its log of {session.seq} events, the agent’s transcript and its workspace copy
        are removed. This cannot be undone.
      </p>
      <p className="muted">
        What it cost ({formatSpent(session)}) stays in the books, and the audit trail stays whole.
      </p>
    </Dialog>
  )
}
