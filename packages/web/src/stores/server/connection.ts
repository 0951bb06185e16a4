// Every request goes through here, so the page knows in one place whether the server answers and whether it knows us.
import { createStore, type Store, type WritableStore } from '../primitives/store.ts'

export interface Connection {
  readonly link: 'connecting' | 'live' | 'reconnecting'
  readonly isSignedOut: boolean
}

export interface WatchedFetch extends Store<Connection> {
  readonly fetch: typeof fetch
}

export function createWatchedFetch(send: typeof fetch): WatchedFetch {
  const store: WritableStore<Connection> = createStore<Connection>({ link: 'connecting', isSignedOut: false })
  const saw = (change: Partial<Connection>) => {
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
        saw({ link: 'live', isSignedOut: response.status === 401 })
        return response
      } catch (error) {
        // A request the page itself gave up says nothing about the server.
        if (init?.signal?.aborted !== true) saw({ link: 'reconnecting' })
        throw error
      }
    },
  }
}
