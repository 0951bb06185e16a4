import { type FocusEvent, type KeyboardEvent, useRef } from 'react'

/**
 * Escape closes a menu, and so does moving the focus out of it. `box`: props for the `details` element of the menu.
 */
export function useMenuPopup() {
  const ref = useRef<HTMLDetailsElement>(null)

  function close(): void {
    if (ref.current !== null) ref.current.open = false
  }

  /** Closes the menu and returns the focus to its button. */
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
