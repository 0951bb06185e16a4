// All requests go through this fetch, so that one store knows whether the server responds and whether the user is
// signed in.
import { createStore, type Store } from '../primitives/store.ts'

export interface ServerConnection {
  readonly link: 'connecting' | 'live' | 'reconnecting'
  readonly isSignedOut: boolean
}

export interface WatchedFetch extends Store<ServerConnection> {
  readonly fetch: typeof fetch
}

export function createWatchedFetch(send: typeof fetch): WatchedFetch {
  const store = createStore<ServerConnection>({ link: 'connecting', isSignedOut: false })
  const record = (change: Partial<ServerConnection>) => {
    const before = store.getSnapshot()
    const after = { ...before, ...change }
    if (after.link !== before.link || after.isSignedOut !== before.isSignedOut) store.set(after)
  }
  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    fetch: async (input, init) => {
      try {
        const response = await send(input, init)
        record({ link: 'live', isSignedOut: response.status === 401 })
        return response
      } catch (error) {
        // A request that the page aborted says nothing about the server.
        if (init?.signal?.aborted !== true) record({ link: 'reconnecting' })
        throw error
      }
    },
  }
}
