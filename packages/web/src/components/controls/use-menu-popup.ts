import { type FocusEvent, type KeyboardEvent, type RefObject, useRef } from 'react'

interface MenuPopup {
  /** For the `details` that is the menu. */
  readonly box: {
    readonly ref: RefObject<HTMLDetailsElement | null>
    readonly onKeyDown: (event: KeyboardEvent) => void
    readonly onBlur: (event: FocusEvent) => void
  }
  shut(): void
  /** Shut, with the focus where it was opened. */
  leave(): void
}

/** A menu is shut by Escape, and when the focus leaves it. */
export function useMenuPopup(): MenuPopup {
  const ref = useRef<HTMLDetailsElement>(null)

  function shut(): void {
    if (ref.current !== null) ref.current.open = false
  }

  function leave(): void {
    shut()
    ref.current?.querySelector('summary')?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || ref.current?.open !== true) return
    // Escape means the menu alone, not what lies below it.
    event.stopPropagation()
    leave()
  }

  function onBlur(event: FocusEvent): void {
    if (!ref.current?.contains(event.relatedTarget)) shut()
  }

  return { box: { ref, onKeyDown, onBlur }, shut, leave }
}
