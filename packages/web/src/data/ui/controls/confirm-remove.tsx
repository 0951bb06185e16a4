import type { ReactNode } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { useAction } from '../../../hooks/use-action.ts'

interface ConfirmRemoveProps {
  readonly title: string
  /** The label of the button. */
  readonly action: string
  readonly onRemove: () => Promise<void>
  readonly onClose: () => void
  /** What is removed and what stays. */
  readonly children: ReactNode
}

/** Asks before something is removed permanently. */
export function ConfirmRemove({ title, action, onRemove, onClose, children }: ConfirmRemoveProps) {
  const remove = useAction()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <Button
          variant={['danger']}
          disabled={remove.isBusy}
          onClick={() => void remove.run(onRemove).then((isDone) => isDone && onClose())}
        >
          {action}
        </Button>
      }
      cancel="Keep it"
      problem={remove.failure?.message}
    >
      <p>{children}</p>
    </Dialog>
  )
}
