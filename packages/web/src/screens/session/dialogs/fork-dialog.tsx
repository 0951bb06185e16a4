import type { QuarterdeckError, UserItem } from '@quarterdeck/protocol'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'

interface ForkDialogProps {
  readonly item: UserItem
  readonly failure: QuarterdeckError | null
  readonly isBusy: boolean
  readonly onFork: (message: string) => void
  readonly onClose: () => void
}

/** Forks at a user message. The new session answers that message again, or an edited version of it. */
export function ForkDialog({ item, failure, isBusy, onFork, onClose }: ForkDialogProps) {
  const [draft, setDraft] = useState(item.content)
  return (
    <Dialog
      title="Fork here"
      onClose={onClose}
      foot={
        <>
          <Button variant={['ink']} disabled={isBusy || draft.trim() === ''} onClick={() => onFork(draft.trim())}>
            Fork and send
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
