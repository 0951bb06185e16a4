import { AgentName, SessionStatus } from '@quarterdeck/protocol'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { archivedOf, type SessionFilter } from '../features/sessions-list/session-filters.tsx'
import { analysisSearch, sampleSearch } from './analysis-search.ts'
import { CrashPage } from './crash-page.tsx'
import { HomePage } from './home-page.tsx'
import { MissingPage } from './missing-page.tsx'
import { PageOnItsWay } from './page-on-its-way.tsx'
import { RootPage } from './root-page.tsx'
import { SessionsPage } from './sessions-page.tsx'

const rootRoute = createRootRoute({ component: RootPage, notFoundComponent: MissingPage, errorComponent: CrashPage })

const homeRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: HomePage })

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
  component: lazyRouteComponent(() => import('./session-page.tsx'), 'SessionPage'),
})

// Lazy, as all of Data: whoever works with sessions never loads it.
const dataRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/data',
  // Which of the samples shall be opened at once.
  validateSearch: sampleSearch,
  component: lazyRouteComponent(() => import('./data-page.tsx'), 'DataPage'),
})

const analysisRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/data/$analysisId',
  validateSearch: analysisSearch,
  component: lazyRouteComponent(() => import('./analysis-page.tsx'), 'AnalysisPage'),
})

/** The address makes a number of digits: they are part of a title all the same. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return text === '' ? undefined : text.slice(0, 200)
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([homeRoute, sessionsRoute, sessionRoute, dataRoute, analysisRoute]),
  defaultPreload: 'intent',
  defaultPendingComponent: PageOnItsWay,
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
