import type { ReactNode } from 'react'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { ThemeButton } from './theme-button.tsx'

interface TopBarProps {
  readonly crumbs: ReactNode
  readonly principal: string | null
}

const labels = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' } as const

export function TopBar({ crumbs, principal }: TopBarProps) {
  const { link } = useStore(useWorkbench().connection)
  return (
    <header className="topbar">
      <div className="crumbs">{crumbs}</div>
      <div className="end">
        <span className="live" role="status" data-connection={link}>
          {labels[link]}
        </span>
        <ThemeButton />
        {principal !== null && (
          <span className="avatar wide-only" title={`Signed in as ${principal}`}>
            {principal.slice(0, 2).toUpperCase()}
          </span>
        )}
      </div>
    </header>
  )
}
