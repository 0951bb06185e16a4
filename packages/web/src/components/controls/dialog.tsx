import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { useModal } from './use-modal.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** Buttons, the one that acts first. */
  readonly foot: ReactNode
}

/** Over the page and in front of it for every reader: focus stays inside, Escape leaves, the page waits. */
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
