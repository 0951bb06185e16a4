import { isBusyStatus } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { Inbox, Layers, Table2 } from 'lucide-react'
import { sessionName } from '../../components/status/session-name.ts'
import { StateGlyph } from '../../components/status/state-glyph.tsx'
import { stateLabels } from '../../components/status/state-labels.ts'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { Brand } from './brand.tsx'

const current = { 'aria-current': 'page' } as const
const shownActive = 8

export function Rail({ waiting, size }: { readonly waiting: number; readonly size: 'full' | 'icons' }) {
  return (
    <nav className="rail" aria-label="Main">
      <Brand />
      <div className="nav">
        <Link to="/" title="Inbox" activeOptions={{ exact: true }} activeProps={current}>
          <Inbox className="icon" aria-hidden="true" />
          <span>Inbox</span>
          {waiting > 0 && (
            <span className="count waiting">
              {waiting}
              <span className="visually-hidden"> waiting for you</span>
            </span>
          )}
        </Link>
        <Link
          to="/sessions"
          title="Sessions"
          activeOptions={{ exact: false, includeSearch: false }}
          activeProps={current}
        >
          <Layers className="icon" aria-hidden="true" />
          <span>Sessions</span>
        </Link>
        <Link to="/data" title="Data" activeOptions={{ exact: false, includeSearch: false }} activeProps={current}>
          <Table2 className="icon" aria-hidden="true" />
          <span>Data</span>
        </Link>
      </div>
      {size === 'full' && <ActiveSessions />}
    </nav>
  )
}

function ActiveSessions() {
  const { recent } = useWorkbench()
  const active = (useStore(recent).sessions ?? []).filter(({ status }) => isBusyStatus(status)).slice(0, shownActive)
  if (active.length === 0) return null
  return (
    <>
      <div className="rail-head caption">Active now</div>
      <div className="nav rail-live">
        {active.map((session) => (
          <Link key={session.sessionId} to="/sessions/$sessionId" params={{ sessionId: session.sessionId }}>
            <StateGlyph state={session.status} />
            <span className="visually-hidden">{stateLabels[session.status]}:</span>
            <span className="ellipsis">{sessionName(session)}</span>
          </Link>
        ))}
      </div>
    </>
  )
}
