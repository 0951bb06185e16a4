import type { SessionId } from '@quarterdeck/protocol'
import { useEffect, useState } from 'react'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import {
  createSessionStore,
  emptySessionView,
  type SessionStore,
  type SessionView,
} from '../../stores/session/session-store.ts'

const noStore = { getSnapshot: () => emptySessionView, subscribe: () => () => undefined }

/** Follows one session while the page shows it. */
export function useSession(sessionId: SessionId): SessionView {
  const { client, connection } = useWorkbench()
  const [store, setStore] = useState<SessionStore | null>(null)
  useEffect(() => {
    const opened = createSessionStore({
      client,
      sessionId,
      onServerBack: (listener) => connection.subscribe(() => connection.getSnapshot().link === 'live' && listener()),
    })
    setStore(opened)
    return () => {
      opened.dispose()
      setStore(null)
    }
  }, [client, connection, sessionId])
  return useStore(store ?? noStore)
}
