import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'

interface HoldButtonProps {
  readonly onHeld: () => void
  readonly disabled?: boolean
  readonly children: ReactNode
}

const holdMs = 1000

/** For irreversible actions: the user holds it for one second, by pointer or key. An early release does nothing. */
export function HoldButton({ onHeld, disabled = false, children }: HoldButtonProps) {
  const [isHolding, setHolding] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  function press(): void {
    if (disabled || isHolding) return
    setHolding(true)
    timer.current = setTimeout(() => {
      setHolding(false)
      onHeld()
    }, holdMs)
  }

  function release(): void {
    clearTimeout(timer.current)
    setHolding(false)
  }

  function onKey(event: KeyboardEvent, action: () => void): void {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    action()
  }

  useEffect(() => () => clearTimeout(timer.current), [])

  return (
    <button
      type="button"
      className="btn hold"
      data-holding={isHolding}
      disabled={disabled}
      onPointerDown={press}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onKeyDown={(event) => onKey(event, press)}
      onKeyUp={(event) => onKey(event, release)}
      onBlur={release}
    >
      {children}
    </button>
  )
}
