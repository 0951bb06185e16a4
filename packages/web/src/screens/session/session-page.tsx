import { SessionId } from '@quarterdeck/protocol'
import { Link, useParams } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { AppShell } from '../../app/shell/app-shell.tsx'
import { ErrorCard } from '../../components/status/error-card.tsx'
import { Loading } from '../../components/status/loading.tsx'
import { sessionName } from '../../components/status/session-name.ts'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import {
  createSessionStore,
  emptySessionView,
  type SessionStore,
  type SessionView,
} from '../../stores/session/session-store.ts'
import { SessionScreen } from './session-screen.tsx'

export function SessionPage() {
  const params = useParams({ from: '/sessions/$sessionId' })
  const sessionId = SessionId.safeParse(params.sessionId)
  if (!sessionId.success)
    return <Problem what="This is not a session address" detail={`“${params.sessionId}” is not a session id.`} />
  return <FollowedSession key={sessionId.data} sessionId={sessionId.data} />
}

function FollowedSession({ sessionId }: { readonly sessionId: SessionId }) {
  const view = useSession(sessionId)
  if (view.projection === null) return <NotOpen view={view} />
  const { session } = view.projection
  const crumbs = (
    <>
      <Link className="narrow-only" to="/sessions" aria-label="Back to sessions">
        <ChevronLeft className="icon" aria-hidden="true" />
      </Link>
      <Link className="wide-only" to="/sessions">
        Sessions
      </Link>
      <span className="wide-only">/</span>
      <span className="wide-only">{session.agentName}</span>
      <b className="ellipsis narrow-only">{sessionName(session)}</b>
    </>
  )
  return (
    <AppShell rail="icons" crumbs={crumbs} isSimulated={session.modelSource === 'simulator'}>
      <SessionScreen view={view} projection={view.projection} />
    </AppShell>
  )
}

function NotOpen({ view: { connection, failure } }: { readonly view: SessionView }) {
  if (failure?.code === 'session.not-found')
    return <Problem what="Session not found" detail="It may belong to another data folder." />
  if (failure !== null) return <Problem what="The session could not be opened" detail={failure.message} />
  return (
    <Page>
      {connection === 'reconnecting' ? (
        <ErrorCard
          what="The server is not responding"
          saved="all data on the server. This page retries automatically."
        />
      ) : (
        <Loading what="Opening the session" />
      )}
    </Page>
  )
}

function Problem({ what, detail }: { readonly what: string; readonly detail: string }) {
  return (
    <Page>
      <ErrorCard what={what} detail={detail}>
        <Link className="btn s" to="/sessions">
          All sessions
        </Link>
      </ErrorCard>
    </Page>
  )
}

function Page({ children }: { readonly children: ReactNode }) {
  return (
    <AppShell rail="full" crumbs={<b>Session</b>}>
      <main className="narrow-page" id="content">
        <div>
          <h1 className="visually-hidden">Session</h1>
          {children}
        </div>
      </main>
    </AppShell>
  )
}

const noStore = { getSnapshot: () => emptySessionView, subscribe: () => () => undefined }

/** Follows one session while the page shows it. */
function useSession(sessionId: SessionId): SessionView {
  const { client, connection } = useWorkbench()
  const [store, setStore] = useState<SessionStore | null>(null)
  useEffect(() => {
    const opened = createSessionStore({
      client,
      sessionId,
      onServerBack: (listener) => connection.subscribe(() => connection.getSnapshot().link === 'live' && listener()),
    })
    setStore(opened)
    return () => {
      opened.dispose()
      setStore(null)
    }
  }, [client, connection, sessionId])
  return useStore(store ?? noStore)
}
