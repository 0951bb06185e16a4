import { type FocusEvent, type KeyboardEvent, type RefObject, useRef } from 'react'

interface MenuPopup {
  /** Props for the `details` element of the menu. */
  readonly box: {
    readonly ref: RefObject<HTMLDetailsElement | null>
    readonly onKeyDown: (event: KeyboardEvent) => void
    readonly onBlur: (event: FocusEvent) => void
  }
  close(): void
  /** Closes the menu and returns the focus to its button. */
  closeAndFocus(): void
}

/** Escape closes a menu, and so does moving the focus out of it. */
export function useMenuPopup(): MenuPopup {
  const ref = useRef<HTMLDetailsElement>(null)

  function close(): void {
    if (ref.current !== null) ref.current.open = false
  }

  function closeAndFocus(): void {
    close()
    ref.current?.querySelector('summary')?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || ref.current?.open !== true) return
    // Escape closes only the menu, not a dialog behind it.
    event.stopPropagation()
    closeAndFocus()
  }

  function onBlur(event: FocusEvent): void {
    if (!ref.current?.contains(event.relatedTarget)) close()
  }

  return { box: { ref, onKeyDown, onBlur }, close, closeAndFocus }
}
