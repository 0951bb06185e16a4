import { useState } from 'react'

/** Whether a hint of this name was put away; kept for this browser. */
export function useDismissed(name: string): readonly [boolean, () => void] {
  const key = `quarterdeck.dismissed.${name}`
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(key) !== null)
  function dismiss(): void {
    setDismissed(true)
    localStorage.setItem(key, 'yes')
  }
  return [isDismissed, dismiss]
}
