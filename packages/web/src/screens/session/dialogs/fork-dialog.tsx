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

/** A fork at a person's words answers them anew, or other words in their place. */
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
            Leave it
          </Button>
          {failure !== null && (
            <p className="problem" role="alert">
              {failure.message}
            </p>
          )}
        </>
      }
    >
      <p>A new session knows everything before this message and answers it anew. This session stays as it is.</p>
      <label className="stack">
        <span className="label">Send this</span>
        <textarea className="field" rows={4} value={draft} onChange={(event) => setDraft(event.target.value)} />
      </label>
    </Dialog>
  )
}
