import { type KeyboardEvent, useEffect, useRef } from 'react'

/** Escape has many uses, so it asks before it stops anything. */
export function StopQuestion({ onStop, onBack }: { readonly onStop: () => void; readonly onBack: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onBack()
  }
  return (
    <div className="status-line" role="alert" onKeyDown={onKeyDown}>
      <span>Stop this question? Its steps are kept.</span>
      <button type="button" className="btn s" ref={button} onClick={onBack}>
        Keep going
      </button>
      <button type="button" className="btn s danger" onClick={onStop}>
        Stop
      </button>
    </div>
  )
}
