/** The interface that React's `useSyncExternalStore` requires. */
export interface Store<State> {
  getSnapshot(): State
  subscribe(listener: () => void): () => void
}

export interface WritableStore<State> extends Store<State> {
  set(next: State): void
  update(change: Partial<State>): void
}

export interface StoreOptions {
  /** Called when the first listener subscribes. The returned function is called when the last one unsubscribes. */
  readonly onWatched?: () => () => void
}

export function createStore<State>(initial: State, options: StoreOptions = {}): WritableStore<State> {
  let state = initial
  let release: (() => void) | undefined
  const listeners = new Set<() => void>()

  function set(next: State): void {
    if (Object.is(next, state)) return
    state = next
    for (const listener of listeners) listener()
  }

  return {
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener)
      if (listeners.size === 1) release = options.onWatched?.()
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return
        release?.()
        release = undefined
      }
    },
    set,
    update: (change) => set({ ...state, ...change }),
  }
}
