import type { ReactNode } from 'react'
import { useMenuPopup } from './use-menu-popup.ts'

interface MenuProps {
  readonly label: string
  readonly icon: ReactNode
  /** Text beside the icon, for menus with enough space. */
  readonly text?: string
  /** Wrap each action in `choose`, which closes the menu first. */
  readonly children: (choose: (action: () => void) => () => void) => ReactNode
}

export function Menu({ label, icon, text, children }: MenuProps) {
  const { box, close } = useMenuPopup()
  const choose = (action: () => void) => () => {
    close()
    action()
  }

  return (
    <details className="menu" {...box}>
      <summary className={text === undefined ? 'btn s quiet square' : 'btn s'} aria-label={label}>
        {icon}
        {text}
      </summary>
      <div className="overlay">{children(choose)}</div>
    </details>
  )
}
