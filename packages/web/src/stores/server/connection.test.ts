import { expect, it } from 'vitest'
import { createWatchedFetch } from './connection.ts'

it('is signed out after a 401 to any request, and signed in after a later success', async () => {
  let status = 401
  const watched = createWatchedFetch(async () => new Response(null, { status }))
  await watched.fetch('/v1/agents')
  expect(watched.getSnapshot()).toEqual({ link: 'live', isSignedOut: true })
  status = 204
  await watched.fetch('/v1/agents')
  expect(watched.getSnapshot()).toEqual({ link: 'live', isSignedOut: false })
})

it('is reconnecting after a network error, but not after a request that the page aborted', async () => {
  const watched = createWatchedFetch(async () => {
    throw new TypeError('fetch failed')
  })
  await watched.fetch('/', { signal: AbortSignal.abort() }).catch(() => undefined)
  expect(watched.getSnapshot().link).toBe('connecting')
  await watched.fetch('/').catch(() => undefined)
  expect(watched.getSnapshot().link).toBe('reconnecting')
})
