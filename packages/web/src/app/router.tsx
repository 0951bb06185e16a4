import { AgentName, SessionStatus } from '@quarterdeck/protocol'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { analysisSearch, sampleSearch } from '../data/ui/analysis-search.ts'
import { InboxPage } from '../screens/inbox/inbox-page.tsx'
import { archivedOf, type SessionFilter } from '../screens/sessions/session-filters.tsx'
import { SessionsPage } from '../screens/sessions/sessions-page.tsx'
import { CrashPage } from './crash-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { PendingPage } from './pending-page.tsx'
import { RootPage } from './root-page.tsx'

const rootRoute = createRootRoute({ component: RootPage, notFoundComponent: NotFoundPage, errorComponent: CrashPage })

const inboxRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: InboxPage })

const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions',
  // The address holds the filters, so that a list can be sent to somebody.
  validateSearch: (search: Record<string, unknown>): SessionFilter => ({
    status: SessionStatus.safeParse(search.status).data,
    agent: AgentName.safeParse(search.agent).data,
    text: textOf(search.text),
    archived: archivedOf(String(search.archived)),
  }),
  component: SessionsPage,
})

// Lazy, as all that the first page does not show. It is fetched while nothing else is, and when a link to it is aimed at.
const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions/$sessionId',
  // Whose part of the transcript is shown; nobody named is the whole session.
  validateSearch: (search: Record<string, unknown>): { readonly agent?: string } =>
    typeof search.agent === 'string' && search.agent !== '' ? { agent: search.agent } : {},
  component: lazyRouteComponent(() => import('../screens/session/session-page.tsx'), 'SessionPage'),
})

// Lazy, as all of Data: whoever works with sessions never loads it.
const dataRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/data',
  // Which of the samples shall be opened at once.
  validateSearch: sampleSearch,
  component: lazyRouteComponent(() => import('../data/ui/data-page/data-page.tsx'), 'DataPage'),
})

const analysisRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/data/$analysisId',
  validateSearch: analysisSearch,
  component: lazyRouteComponent(() => import('../data/ui/analysis/analysis-page.tsx'), 'AnalysisPage'),
})

/** The address makes a number of digits: they are part of a title all the same. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return text === '' ? undefined : text.slice(0, 200)
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([inboxRoute, sessionsRoute, sessionRoute, dataRoute, analysisRoute]),
  defaultPreload: 'intent',
  defaultPendingComponent: PendingPage,
  // The page before stays that long: most pages are there by then.
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
})

/** What comes next on the way of most people, once there is nothing else to do. */
export const preloadSession = () => router.loadRouteChunk(sessionRoute)

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
