import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef } from 'react'

interface MenuProps {
  readonly label: string
  readonly icon: ReactNode
  /** Beside the icon, where there is room for them. */
  readonly words?: string
  /** Wrap each act: choosing one shuts the menu first. */
  readonly children: (choose: (act: () => void) => () => void) => ReactNode
}

export function Menu({ label, icon, words, children }: MenuProps) {
  const box = useRef<HTMLDetailsElement>(null)

  function shut(): void {
    if (box.current !== null) box.current.open = false
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || box.current?.open !== true) return
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
      <summary className={words === undefined ? 'btn s quiet square' : 'btn s'} aria-label={label}>
        {icon}
        {words}
      </summary>
      <div className="overlay">{children(choose)}</div>
    </details>
  )
}
