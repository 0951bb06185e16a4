import { foldSession, type SessionState } from '@quarterdeck/protocol'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { logOf } from '../../stores/testing/logged-event.fixture.ts'
import { sessionCreated, spent } from '../../stores/testing/sample-events.fixture.ts'
import { SessionRows } from './session-rows.tsx'

function shown(session: SessionState | null): string {
  if (session === null) throw new Error('the fold made no session')
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  return renderToStaticMarkup(
    <RouterContextProvider router={router}>
      <SessionRows sessions={[session]} />
    </RouterContextProvider>,
  )
}

it('marks a cost with unpriced usage as a lower bound, and shows other costs exactly', () => {
  expect(shown(foldSession(null, logOf(sessionCreated, spent(null))))).toContain('≥ $0 of $1')
  expect(shown(foldSession(null, logOf(sessionCreated, spent(0.5))))).toMatch(/[^ ]\$0\.50 of \$1/)
})
