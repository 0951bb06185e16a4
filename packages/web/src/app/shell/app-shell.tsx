import type { ReactNode } from 'react'
import { useWaitingAnalyses } from '../../data/ui/use-waiting-analyses.ts'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { Rail } from './rail.tsx'
import { SimulatorBanner } from './simulator-banner.tsx'
import { TabBar } from './tab-bar.tsx'
import { TopBar } from './top-bar.tsx'

interface AppShellProps {
  /** `icons` for a screen that brings its own left pane. */
  readonly rail: 'full' | 'icons'
  readonly crumbs: ReactNode
  readonly children: ReactNode
  /** A session says itself whether it runs on the simulator; other pages ask the server. */
  readonly isSimulated?: boolean
}

export function AppShell({ rail, crumbs, children, isSimulated }: AppShellProps) {
  const { server, inbox } = useWorkbench()
  const { items, changes } = useStore(inbox)
  const waiting = (items?.length ?? 0) + changes.length + useWaitingAnalyses().length
  const { info } = useStore(server)
  return (
    <div className="app" data-rail={rail}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Rail waiting={waiting} size={rail} />
      <div className="main">
        <TopBar crumbs={crumbs} principal={info?.principal ?? null} />
        {(isSimulated ?? info?.usesSimulator ?? false) ? <SimulatorBanner /> : <div className="strip" />}
        {children}
      </div>
      <TabBar waiting={waiting} />
    </div>
  )
}
