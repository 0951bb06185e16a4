import type { ReactNode } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { useAction } from '../../../hooks/use-action.ts'

interface ConfirmRemoveProps {
  readonly title: string
  /** What the button does, in words. */
  readonly act: string
  readonly onRemove: () => Promise<void>
  readonly onClose: () => void
  /** What goes and what stays. */
  readonly children: ReactNode
}

/** A word before something is gone for good. */
export function ConfirmRemove({ title, act, onRemove, onClose, children }: ConfirmRemoveProps) {
  const remove = useAction()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button
            variant={['danger']}
            disabled={remove.isBusy}
            onClick={() => void remove.run(onRemove).then((isDone) => isDone && onClose())}
          >
            {act}
          </Button>
          <Button variant={['quiet']} onClick={onClose}>
            Keep it
          </Button>
          {remove.failure !== null && (
            <p className="problem" role="alert">
              {remove.failure.message}
            </p>
          )}
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  )
}
