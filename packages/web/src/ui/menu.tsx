import type { ReactNode } from 'react'
import { useMenuBox } from './use-menu-box.ts'

interface MenuProps {
  readonly label: string
  readonly icon: ReactNode
  /** Beside the icon, where there is room for them. */
  readonly words?: string
  /** Wrap each act: choosing one shuts the menu first. */
  readonly children: (choose: (act: () => void) => () => void) => ReactNode
}

export function Menu({ label, icon, words, children }: MenuProps) {
  const { box, shut } = useMenuBox()
  const choose = (act: () => void) => () => {
    shut()
    act()
  }

  return (
    <details className="menu" {...box}>
      <summary className={words === undefined ? 'btn s quiet square' : 'btn s'} aria-label={label}>
        {icon}
        {words}
      </summary>
      <div className="overlay">{children(choose)}</div>
    </details>
  )
}
