import { AgentName, messageOf, SessionStatus } from '@quarterdeck/protocol'
import { createRootRoute, createRoute, createRouter, Link, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { Button } from '../components/controls/button.tsx'
import { ErrorCard } from '../components/status/error-card.tsx'
import { Loading } from '../components/status/loading.tsx'
import { analysisSearch, sampleSearch } from '../data/ui/analysis-search.ts'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { useStore } from '../hooks/use-store.ts'
import { useWorkbench } from '../hooks/use-workbench.ts'
import { InboxPage } from '../screens/inbox/inbox-page.tsx'
import { archivedOf, type SessionsSearch } from '../screens/sessions/session-filters.tsx'
import { SessionsPage } from '../screens/sessions/sessions-page.tsx'
import { AppShell } from './shell/app-shell.tsx'
import { SignInPage } from './sign-in-page.tsx'

const rootRoute = createRootRoute({ component: RootPage, notFoundComponent: NotFoundPage, errorComponent: CrashPage })

const inboxRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: InboxPage })

const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions',
  // The filters are in the address, so that a filtered list can be shared.
  validateSearch: (search: Record<string, unknown>): SessionsSearch => ({
    status: SessionStatus.safeParse(search.status).data,
    agent: AgentName.safeParse(search.agent).data,
    text: textOf(search.text),
    archived: archivedOf(String(search.archived)),
  }),
  component: SessionsPage,
})

// Lazy: the first page does not need it. It loads when the browser is idle, or when the user hovers a link to it.
const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions/$sessionId',
  // The agent whose part of the transcript is shown. Without it, the whole session is shown.
  validateSearch: (search: Record<string, unknown>): { readonly agent?: string } =>
    typeof search.agent === 'string' && search.agent !== '' ? { agent: search.agent } : {},
  component: lazyRouteComponent(() => import('../screens/session/session-page.tsx'), 'SessionPage'),
})

// Lazy: users who work only with sessions never load Data.
const dataRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/data',
  // The sample to open at once.
  validateSearch: sampleSearch,
  component: lazyRouteComponent(() => import('../data/ui/data-page/data-page.tsx'), 'DataPage'),
})

const analysisRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/data/$analysisId',
  validateSearch: analysisSearch,
  component: lazyRouteComponent(() => import('../data/ui/analysis/analysis-page.tsx'), 'AnalysisPage'),
})

/** The router parses digits as a number, but a title filter may consist of digits. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return text === '' ? undefined : text.slice(0, 200)
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([inboxRoute, sessionsRoute, sessionRoute, dataRoute, analysisRoute]),
  defaultPreload: 'intent',
  defaultPendingComponent: PendingPage,
  // The previous page stays for this long. Most pages have loaded by then.
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
})

/** Loads the session page ahead: most users open it next. */
export const preloadSession = () => router.loadRouteChunk(sessionRoute)

/** Signed-out visitors see the sign-in page at every address. */
function RootPage() {
  const { isSignedOut } = useStore(useWorkbench().connection)
  return isSignedOut ? <SignInPage /> : <Outlet />
}

/** Shown while the code of a page loads. */
function PendingPage() {
  return (
    <AppShell rail="full" crumbs={null}>
      <main className="narrow-page" id="content">
        <Loading what="Loading the page" />
      </main>
    </AppShell>
  )
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** Shown when a page component throws. The server and its sessions are not affected. */
function CrashPage({ error }: { readonly error: unknown }) {
  return (
    <main className="narrow-page" id="content">
      <div>
        <ErrorCard
          what="The workbench crashed"
          detail={messageOf(error)}
          saved="all data on the server. Only this page failed."
        >
          <Button onClick={() => location.reload()}>Reload the page</Button>
        </ErrorCard>
      </div>
    </main>
  )
}

function NotFoundPage() {
  usePageTitle('Not found')
  return (
    <AppShell rail="full" crumbs={<b>Not found</b>}>
      <main className="narrow-page" id="content">
        <div>
          <h1>There is no page at this address</h1>
          <p className="text-2">
            Go to the{' '}
            <Link className="link" to="/">
              inbox
            </Link>{' '}
            or to the{' '}
            <Link className="link" to="/sessions">
              sessions
            </Link>
            .
          </p>
        </div>
      </main>
    </AppShell>
  )
}
