import { useSyncExternalStore } from 'react'
import type { Store } from '../state/cell.ts'

export const useStore = <State>(store: Store<State>): State => useSyncExternalStore(store.subscribe, store.getSnapshot)
