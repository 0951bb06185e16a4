import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { AppFrame } from '../features/frame/app-frame.tsx'
import { hasFilter, type SessionFilter, SessionFilters } from '../features/sessions-list/session-filters.tsx'
import { SessionRows } from '../features/sessions-list/session-rows.tsx'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { useStore } from '../hooks/use-store.ts'
import { useWorkbench } from '../hooks/use-workbench.ts'
import { createSessionsStore, type SessionsStore } from '../state/sessions-store.ts'
import { Button } from '../ui/button.tsx'
import { ErrorCard } from '../ui/error-card.tsx'
import { Loading } from '../ui/loading.tsx'

export function SessionsPage() {
  usePageTitle('Sessions')
  const { client, server } = useWorkbench()
  const { agents } = useStore(server)
  const filter = useSearch({ from: '/sessions' })
  const { status, agent, text, archived } = filter
  const navigate = useNavigate()
  const store = useMemo(
    () => createSessionsStore({ client, query: { status, agent, text, archived, limit: 50 } }),
    [client, status, agent, text, archived],
  )
  const setFilter = useCallback(
    (next: SessionFilter) => void navigate({ to: '/sessions', search: next, replace: true }),
    [navigate],
  )
  return (
    <AppFrame rail="full" crumbs={<b>Sessions</b>}>
      <main className="page scroll" id="content" tabIndex={-1}>
        <div className="page-head">
          <div className="grow">
            <h1>Sessions</h1>
            <p>One agent at work on one task, with every step kept.</p>
          </div>
          <SessionFilters filter={filter} agents={agents?.map(({ name }) => name) ?? []} onChange={setFilter} />
        </div>
        <List store={store} isFiltered={hasFilter(filter)} onClear={() => setFilter({})} />
      </main>
    </AppFrame>
  )
}

interface ListProps {
  readonly store: SessionsStore
  readonly isFiltered: boolean
  readonly onClear: () => void
}

function List({ store, isFiltered, onClear }: ListProps) {
  const { sessions, news, nextCursor, failure, isLoadingMore } = useStore(store)
  const navigate = useNavigate()
  if (sessions === null) {
    if (failure === null) return <Loading what="Loading sessions" />
    return (
      <ErrorCard what="The sessions could not be loaded" detail={failure.message} id={failure.code}>
        <Button look={['s']} onClick={() => void store.refresh()}>
          Try again
        </Button>
      </ErrorCard>
    )
  }
  if (sessions.length === 0 && news.length === 0) {
    if (isFiltered) {
      return (
        <p className="row">
          0 sessions match ·{' '}
          <Button look={['s', 'quiet']} onClick={onClear}>
            Clear filters
          </Button>
        </p>
      )
    }
    return (
      <div className="empty">
        <h2>No sessions yet</h2>
        <p>A session is one agent at work on one task, with every step kept. The first page starts one with a click.</p>
        <div className="actions">
          <Button look={['ink']} onClick={() => void navigate({ to: '/' })}>
            Start an agent
          </Button>
        </div>
      </div>
    )
  }
  return (
    <>
      {news.length > 0 && (
        <p className="row">
          <Button look={['s']} onClick={store.applyNews}>
            {news.length} new {news.length === 1 ? 'session' : 'sessions'}, show
          </Button>
        </p>
      )}
      <SessionRows sessions={sessions} />
      {failure !== null && <p className="muted">Not current: {failure.message}</p>}
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
