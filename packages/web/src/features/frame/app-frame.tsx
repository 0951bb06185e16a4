import type { ReactNode } from 'react'
import { useStore } from '../../hooks/use-store.ts'
import { useWaitingAnalyses } from '../../hooks/use-waiting-analyses.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { Rail } from './rail.tsx'
import { SimulatorStrip } from './simulator-strip.tsx'
import { TabBar } from './tab-bar.tsx'
import { TopBar } from './top-bar.tsx'

interface AppFrameProps {
  /** `icons` for a screen that brings its own left pane. */
  readonly rail: 'full' | 'icons'
  readonly crumbs: ReactNode
  readonly children: ReactNode
  /** A session says itself whether it runs on the simulator; other pages ask the server. */
  readonly isSimulated?: boolean
}

export function AppFrame({ rail, crumbs, children, isSimulated }: AppFrameProps) {
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
        {(isSimulated ?? info?.usesSimulator ?? false) ? <SimulatorStrip /> : <div className="strip" />}
        {children}
      </div>
      <TabBar waiting={waiting} />
    </div>
  )
}
