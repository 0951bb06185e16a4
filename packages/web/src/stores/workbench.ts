// The state shared by all pages. Pages that need more (one session, a filtered list) create their own stores.
import { type Client, createClient } from '@quarterdeck/client'
import type { Store } from './primitives/store.ts'
import { type AgentWarmer, createAgentWarmer } from './server/agent-warmer.ts'
import { createWatchedFetch, type ServerConnection } from './server/connection.ts'
import { createInboxStore, type InboxStore } from './server/inbox-store.ts'
import { createServerStore, type ServerStore } from './server/server-store.ts'
import { createSessionsStore, type SessionsStore } from './server/sessions-store.ts'

export interface Workbench {
  readonly client: Client
  readonly connection: Store<ServerConnection>
  /** The fetch that `connection` observes. */
  readonly fetch: typeof fetch
  readonly server: ServerStore
  readonly inbox: InboxStore
  /** The newest sessions, for the rail and the inbox page. */
  readonly recent: SessionsStore
  readonly agentWarmer: AgentWarmer
  /** The address of this server for programs. */
  readonly origin: string
}

export function createWorkbench(options: { readonly fetch: typeof fetch; readonly origin: string }): Workbench {
  const connection = createWatchedFetch(options.fetch)
  const client = createClient({ baseUrl: '', fetch: connection.fetch })
  return {
    client,
    connection,
    fetch: connection.fetch,
    server: createServerStore({ client }),
    inbox: createInboxStore({ client }),
    recent: createSessionsStore({ client, query: { limit: 30 }, showsArrivedAtOnce: true }),
    agentWarmer: createAgentWarmer(client),
    origin: options.origin,
  }
}
