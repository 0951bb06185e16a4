import { expect, it } from 'vitest'
import { createWatchedFetch } from './connection.ts'

it('knows that a 401 from any request means signed out, and that a later answer means signed in', async () => {
  let status = 401
  const watched = createWatchedFetch(async () => new Response(null, { status }))
  await watched.fetch('/v1/agents')
  expect(watched.getSnapshot()).toEqual({ link: 'live', isSignedOut: true })
  status = 204
  await watched.fetch('/v1/agents')
  expect(watched.getSnapshot()).toEqual({ link: 'live', isSignedOut: false })
})

it('knows that the server is gone, and does not take a request the page gave up for an outage', async () => {
  const watched = createWatchedFetch(async () => {
    throw new TypeError('fetch failed')
  })
  await watched.fetch('/', { signal: AbortSignal.abort() }).catch(() => undefined)
  expect(watched.getSnapshot().link).toBe('connecting')
  await watched.fetch('/').catch(() => undefined)
  expect(watched.getSnapshot().link).toBe('reconnecting')
})
