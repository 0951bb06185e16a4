import type { ReactNode } from 'react'
import { useMenuPopup } from './use-menu-popup.ts'

interface MenuProps {
  readonly label: string
  readonly icon: ReactNode
  /** Beside the icon, where there is room for them. */
  readonly text?: string
  /** Wrap each act: choosing one shuts the menu first. */
  readonly children: (choose: (action: () => void) => () => void) => ReactNode
}

export function Menu({ label, icon, text, children }: MenuProps) {
  const { box, shut } = useMenuPopup()
  const choose = (action: () => void) => () => {
    shut()
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
