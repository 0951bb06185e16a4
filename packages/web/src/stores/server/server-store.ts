import type { Client } from '@quarterdeck/client'
import type { AgentSummary, QuarterdeckError, ServerInfo } from '@quarterdeck/protocol'
import { failureOf } from '../primitives/failure.ts'
import { type PollOptions, poll } from '../primitives/poll.ts'
import { createStore } from '../primitives/store.ts'

export interface ServerView {
  readonly info: ServerInfo | null
  readonly agents: readonly AgentSummary[] | null
  readonly failure: QuarterdeckError | null
}

export type ServerStore = ReturnType<typeof createServerStore>

export interface ServerStoreOptions {
  readonly client: Client
  readonly poll?: Partial<PollOptions>
}

/** The server info and its agents. A saved agent file appears within seconds. */
export function createServerStore({ client, ...options }: ServerStoreOptions) {
  const store = createStore<ServerView>(
    { info: null, agents: null, failure: null },
    { onWatched: () => poll(refresh, { everyMs: 4000, ...options.poll }) },
  )

  async function refresh(): Promise<void> {
    try {
      const [info, { agents }] = await Promise.all([client.serverInfo(), client.listAgents()])
      store.update({ info, agents, failure: null })
    } catch (error) {
      store.update({ failure: failureOf(error) })
    }
  }

  return { getSnapshot: store.getSnapshot, subscribe: store.subscribe, refresh }
}
