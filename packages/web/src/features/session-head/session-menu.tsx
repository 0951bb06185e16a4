import { isBusyStatus, isClosedStatus, type SessionStatus } from '@quarterdeck/protocol'
import { Ellipsis } from 'lucide-react'
import { type FocusEvent, type KeyboardEvent, useRef } from 'react'

interface SessionMenuProps {
  readonly status: SessionStatus
  readonly onClose: () => void
  readonly onCancel: () => void
}

export function SessionMenu({ status, onClose, onCancel }: SessionMenuProps) {
  const box = useRef<HTMLDetailsElement>(null)
  if (isClosedStatus(status)) return null

  function shut(): void {
    if (box.current !== null) box.current.open = false
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return
    shut()
    box.current?.querySelector('summary')?.focus()
  }

  function onBlur(event: FocusEvent): void {
    if (!box.current?.contains(event.relatedTarget)) shut()
  }

  const choose = (act: () => void) => () => {
    shut()
    act()
  }

  return (
    <details className="menu" ref={box} onKeyDown={onKeyDown} onBlur={onBlur}>
      <summary className="btn s quiet square" aria-label="More">
        <Ellipsis className="icon" aria-hidden="true" />
      </summary>
      <div className="overlay">
        {!isBusyStatus(status) && (
          <button type="button" onClick={choose(onClose)}>
            Close
            <small>Done with it: takes no further message, stays readable</small>
          </button>
        )}
        <button type="button" className="minus" onClick={choose(onCancel)}>
          Cancel
          <small>Stop whatever runs and close the session as cancelled</small>
        </button>
      </div>
    </details>
  )
}
