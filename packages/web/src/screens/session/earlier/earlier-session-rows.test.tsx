import type { EventDraft, SessionEvent } from '@quarterdeck/protocol'
import { foldSession } from '@quarterdeck/protocol'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { beginProjection, foldProjection } from '../../../stores/session/session-projection.ts'
import { logOf, sessionId } from '../../../stores/testing/logged-event.fixture.ts'
import {
  approvalRequested,
  messageDelivered,
  messageQueued,
  questionAnswered,
  questionAsked,
  sessionCreated,
} from '../../../stores/testing/sample-events.fixture.ts'
import { EarlierSessionRows } from './earlier-session-rows.tsx'

/** The page of a fork that branched off after `known` events. The log of the original session has grown since. */
function shown(events: readonly EventDraft[], known: number): string {
  const log: readonly SessionEvent[] = logOf(sessionCreated, messageQueued, messageDelivered, ...events)
  const session = foldSession(null, log)
  if (session === null) throw new Error('the fold made no session')
  const projection = foldProjection(
    beginProjection({ session, openTexts: [], queuePosition: null }),
    log.slice(0, 3 + known),
  )
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  const actions = { renderAsk: () => 'an ask of the fork', onShowAgent: () => undefined, onMessage: () => undefined }
  return renderToStaticMarkup(
    <RouterContextProvider router={router}>
      <EarlierSessionRows earlierSession={{ sessionId, projection, isCut: false }} actions={actions} />
    </RouterContextProvider>,
  )
}

it.each([
  ['an approval', approvalRequested()],
  ['a question', questionAsked],
])('%s that waits in the original session is shown as open there', (_, asked) => {
  const page = shown([asked], 1)
  expect(page).toContain('Open in that session')
  expect(page).not.toContain('No longer open')
  expect(page).not.toContain('an ask of the fork')
})

it('shows an answer given before the fork, and a question answered after it as no longer open', () => {
  const events = [questionAsked, questionAnswered({ 'Which colour?': 'red' })]
  expect(shown(events, 2)).toContain('Answered by')
  expect(shown(events, 1)).toContain('No longer open')
})
