import { Link } from '@tanstack/react-router'
import { Inbox, Layers, Table2 } from 'lucide-react'

const current = { 'aria-current': 'page' } as const

/** Replaces the rail on a narrow screen. */
export function TabBar({ waiting }: { readonly waiting: number }) {
  return (
    <nav className="tabbar" aria-label="Main">
      <Link to="/" activeOptions={{ exact: true }} activeProps={current}>
        <Inbox className="icon" aria-hidden="true" />
        <span>Inbox</span>
        {waiting > 0 && <span className="count brass">{waiting}</span>}
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
