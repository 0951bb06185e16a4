import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { useModal } from './use-modal.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** The buttons, main action first. */
  readonly foot: ReactNode
}

/** A modal dialog: focus stays inside, Escape closes it, and the page behind it is inert. */
export function Dialog({ title, onClose, children, foot }: DialogProps) {
  const modal = useModal(onClose)
  const id = useId()
  return (
    <dialog className="dialog overlay" aria-labelledby={id} {...modal}>
      <header className="dialog-head">
        <h2 id={id} className="grow">
          {title}
        </h2>
        <Button variant={['s', 'quiet', 'square']} aria-label="Close the dialog" onClick={onClose}>
          <X className="icon" aria-hidden="true" />
        </Button>
      </header>
      <div className="dialog-body scroll">{children}</div>
      <footer className="actions dialog-foot">{foot}</footer>
    </dialog>
  )
}
