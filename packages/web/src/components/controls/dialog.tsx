import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { Problem } from './problem.tsx'
import { useModal } from './use-modal.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** The buttons, main action first. */
  readonly foot: ReactNode
  /** The label of the last button, which closes the dialog; `null` if `foot` has its own. */
  readonly cancel?: string | null
  /** Why the main action failed or is not possible. */
  readonly problem?: string | null | undefined
}

/** A modal dialog: focus stays inside, Escape closes it, and the page behind it is inert. */
export function Dialog({ title, onClose, children, foot, cancel = 'Cancel', problem }: DialogProps) {
  const modal = useModal(onClose)
  const id = useId()
  return (
    <dialog className="dialog overlay" aria-labelledby={id} {...modal}>
      <header className="row dialog-head">
        <h2 id={id} className="grow">
          {title}
        </h2>
        <Button variant={['s', 'quiet', 'square']} aria-label="Close the dialog" onClick={onClose}>
          <X className="icon" aria-hidden="true" />
        </Button>
      </header>
      <div className="stack dialog-body scroll">{children}</div>
      <footer className="actions dialog-foot">
        {foot}
        {cancel !== null && (
          <Button variant={['quiet']} onClick={onClose}>
            {cancel}
          </Button>
        )}
        <Problem text={problem} />
      </footer>
    </dialog>
  )
}
