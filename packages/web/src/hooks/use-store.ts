import { useSyncExternalStore } from 'react'
import type { Store } from '../stores/primitives/store.ts'

export const useStore = <State>(store: Store<State>): State => useSyncExternalStore(store.subscribe, store.getSnapshot)
