import { Link } from '@tanstack/react-router'
import { Inbox, Info, Layers, Table2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWaitingAnalyses } from '../../data/ui/use-waiting-analyses.ts'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { Rail } from './rail.tsx'
import { TopBar } from './top-bar.tsx'

interface AppShellProps {
  /** `icons` for a screen with its own left pane. */
  readonly rail: 'full' | 'icons'
  readonly crumbs: ReactNode
  readonly children: ReactNode
  /**
   * Set by session pages, because a session knows whether it runs on the simulator. Other pages use the server's value.
   */
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
        {(isSimulated ?? info?.usesSimulator ?? false) ? <SimulatorBanner /> : <div className="row strip" />}
        {children}
      </div>
      <TabBar waiting={waiting} />
    </div>
  )
}

function SimulatorBanner() {
  return (
    <div className="row strip" data-simulator="true">
      <Info className="icon s" aria-hidden="true" />
      <span>
        <b>Local simulator:</b> nothing is sent to a provider, answers are rule-based.
      </span>
    </div>
  )
}

const current = { 'aria-current': 'page' } as const

/** Replaces the rail on a narrow screen. */
function TabBar({ waiting }: { readonly waiting: number }) {
  return (
    <nav className="tabbar" aria-label="Main">
      <Link to="/" activeOptions={{ exact: true }} activeProps={current}>
        <Inbox className="icon" aria-hidden="true" />
        <span>Inbox</span>
        {waiting > 0 && <span className="count waiting">{waiting}</span>}
      </Link>
      <Link to="/sessions" activeProps={current}>
        <Layers className="icon" aria-hidden="true" />
        <span>Sessions</span>
      </Link>
      <Link to="/data" activeOptions={{ exact: false, includeSearch: false }} activeProps={current}>
        <Table2 className="icon" aria-hidden="true" />
        <span>Data</span>
      </Link>
    </nav>
  )
}
