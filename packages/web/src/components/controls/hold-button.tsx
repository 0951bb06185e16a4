import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'

interface HoldButtonProps {
  readonly onHeld: () => void
  readonly disabled?: boolean
  readonly children: ReactNode
}

const holdMs = 1000

/** For what cannot be undone: pressed for a whole second, by pointer or by key; letting go earlier does nothing. */
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

  function letGo(): void {
    clearTimeout(timer.current)
    setHolding(false)
  }

  function onKey(event: KeyboardEvent, act: () => void): void {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    act()
  }

  useEffect(() => () => clearTimeout(timer.current), [])

  return (
    <button
      type="button"
      className="btn hold"
      data-holding={isHolding}
      disabled={disabled}
      onPointerDown={press}
      onPointerUp={letGo}
      onPointerLeave={letGo}
      onPointerCancel={letGo}
      onKeyDown={(event) => onKey(event, press)}
      onKeyUp={(event) => onKey(event, letGo)}
      onBlur={letGo}
    >
      {children}
    </button>
  )
}
