import type { ReactNode } from 'react'
import { useAction } from '../hooks/use-action.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

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
            look={['danger']}
            disabled={remove.isBusy}
            onClick={() => void remove.run(onRemove).then((isDone) => isDone && onClose())}
          >
            {act}
          </Button>
          <Button look={['quiet']} onClick={onClose}>
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
