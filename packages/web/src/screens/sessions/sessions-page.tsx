import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { AppShell } from '../../app/shell/app-shell.tsx'
import { Button } from '../../components/controls/button.tsx'
import { SessionRows } from '../../components/session-rows/session-rows.tsx'
import { ErrorCard } from '../../components/status/error-card.tsx'
import { Loading } from '../../components/status/loading.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { createSessionsStore, type SessionsStore } from '../../stores/server/sessions-store.ts'
import { hasFilter, SessionFilters, type SessionsSearch } from './session-filters.tsx'

export function SessionsPage() {
  usePageTitle('Sessions')
  const { client, server } = useWorkbench()
  const { agents } = useStore(server)
  const search = useSearch({ from: '/sessions' })
  const { status, agent, text, archived } = search
  const navigate = useNavigate()
  const store = useMemo(
    () => createSessionsStore({ client, query: { status, agent, text, archived, limit: 50 } }),
    [client, status, agent, text, archived],
  )
  const setSearch = useCallback(
    (next: SessionsSearch) => void navigate({ to: '/sessions', search: next, replace: true }),
    [navigate],
  )
  return (
    <AppShell rail="full" crumbs={<b>Sessions</b>}>
      <main className="page scroll" id="content" tabIndex={-1}>
        <div className="page-head">
          <div className="grow">
            <h1>Sessions</h1>
            <p>One agent at work on one task, with every step recorded.</p>
          </div>
          <SessionFilters search={search} agents={agents?.map(({ name }) => name) ?? []} onChange={setSearch} />
        </div>
        <List store={store} isFiltered={hasFilter(search)} onClear={() => setSearch({})} />
      </main>
    </AppShell>
  )
}

interface ListProps {
  readonly store: SessionsStore
  readonly isFiltered: boolean
  readonly onClear: () => void
}

function List({ store, isFiltered, onClear }: ListProps) {
  const { sessions, arrived, nextCursor, failure, isLoadingMore } = useStore(store)
  const navigate = useNavigate()
  if (sessions === null) {
    if (failure === null) return <Loading what="Loading sessions" />
    return (
      <ErrorCard what="The sessions could not be loaded" detail={failure.message} id={failure.code}>
        <Button variant={['s']} onClick={() => void store.refresh()}>
          Try again
        </Button>
      </ErrorCard>
    )
  }
  if (sessions.length === 0 && arrived.length === 0) {
    if (isFiltered) {
      return (
        <p className="row">
          0 sessions match ·{' '}
          <Button variant={['s', 'quiet']} onClick={onClear}>
            Clear filters
          </Button>
        </p>
      )
    }
    return (
      <div className="empty">
        <h2>No sessions yet</h2>
        <p>A session is one agent at work on one task, with every step recorded. Start one on the inbox page.</p>
        <div className="actions">
          <Button variant={['primary']} onClick={() => void navigate({ to: '/' })}>
            Start an agent
          </Button>
        </div>
      </div>
    )
  }
  return (
    <>
      {arrived.length > 0 && (
        <p className="row">
          <Button variant={['s']} onClick={store.showArrived}>
            {arrived.length} new {arrived.length === 1 ? 'session' : 'sessions'}, show
          </Button>
        </p>
      )}
      <SessionRows sessions={sessions} />
      {failure !== null && <p className="muted">Out of date: {failure.message}</p>}
      {nextCursor !== null && (
        <p className="group">
          <Button disabled={isLoadingMore} onClick={() => void store.loadMore()}>
            {isLoadingMore ? 'Loading…' : 'Load more'}
          </Button>
        </p>
      )}
    </>
  )
}
