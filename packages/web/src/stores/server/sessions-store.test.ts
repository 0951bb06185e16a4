import { createClient } from '@quarterdeck/client'
import { foldSession, SessionId, type SessionState } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { loggedEvent } from '../testing/logged-event.fixture.ts'
import { sessionCreated } from '../testing/sample-events.fixture.ts'
import { createSessionsStore } from './sessions-store.ts'

function session(name: string, change: Partial<SessionState> = {}): SessionState {
  const state = foldSession(null, [loggedEvent(sessionCreated, { seq: 1, sessionId: SessionId.parse(`ses_${name}`) })])
  if (state === null) throw new Error('the fold made no session')
  return { ...state, ...change }
}

function servedList(pages: () => { readonly sessions: readonly SessionState[]; readonly nextCursor: string | null }) {
  const asked: string[] = []
  const client = createClient({
    baseUrl: 'http://list',
    fetch: async (input) => {
      asked.push(String(input))
      return Response.json(pages())
    },
  })
  return { client, asked }
}

it('updates its rows and holds new sessions back until `showArrived`', async () => {
  let sessions = [session('aaaaaa')]
  const { client } = servedList(() => ({ sessions, nextCursor: null }))
  const store = createSessionsStore({ client })
  await store.refresh()
  sessions = [session('bbbbbb'), session('aaaaaa', { status: 'running' })]
  await store.refresh()
  const ids = () => store.getSnapshot().sessions?.map((row) => [row.sessionId, row.status])
  expect(ids()).toEqual([['ses_aaaaaa', 'running']])
  expect(store.getSnapshot().arrived).toHaveLength(1)
  store.showArrived()
  expect(ids()).toEqual([
    ['ses_bbbbbb', 'idle'],
    ['ses_aaaaaa', 'running'],
  ])
})

it('appends the next page and passes its filters on', async () => {
  const pages = [
    { sessions: [session('aaaaaa')], nextCursor: 'more' },
    { sessions: [session('bbbbbb')], nextCursor: null },
  ]
  const { client, asked } = servedList(() => pages.shift() ?? { sessions: [], nextCursor: null })
  const store = createSessionsStore({ client, query: { status: 'idle', agent: 'coder' } })
  await store.refresh()
  await store.loadMore()
  expect(store.getSnapshot().sessions?.map((row) => row.sessionId)).toEqual(['ses_aaaaaa', 'ses_bbbbbb'])
  expect(store.getSnapshot().nextCursor).toBeNull()
  expect(asked.map((address) => new URL(address).search)).toEqual([
    '?status=idle&agent=coder',
    '?status=idle&agent=coder&cursor=more',
  ])
})

it('keeps its rows when the server fails, and reports the failure', async () => {
  let isBroken = false
  const client = createClient({
    baseUrl: 'http://list',
    fetch: async () => {
      if (isBroken) throw new TypeError('fetch failed')
      return Response.json({ sessions: [session('aaaaaa')], nextCursor: null })
    },
  })
  const store = createSessionsStore({ client })
  await store.refresh()
  isBroken = true
  await store.refresh()
  expect(store.getSnapshot()).toMatchObject({ failure: { code: 'server.unreachable' } })
  expect(store.getSnapshot().sessions).toHaveLength(1)
})
