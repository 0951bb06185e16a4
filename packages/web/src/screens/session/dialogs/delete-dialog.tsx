import { formatSpent, type QuarterdeckError, type SessionState } from '@quarterdeck/protocol'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { sessionName } from '../../../components/status/session-name.ts'

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
          <Button variant={['danger']} disabled={isBusy} onClick={onDelete}>
            Delete permanently
          </Button>
          <Button variant={['quiet']} onClick={onClose}>
            Cancel
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
        Its cost ({formatSpent(session)}) stays in the cost reports, and the audit trail stays complete.
      </p>
    </Dialog>
  )
}
