import type { AgentSummary, Client, QuarterdeckError, ServerInfo } from '@quarterdeck/protocol'
import { createCell, type Store } from './cell.ts'
import { failureOf } from './failure.ts'
import { type PollOptions, poll } from './poll.ts'

export interface ServerView {
  readonly info: ServerInfo | null
  readonly agents: readonly AgentSummary[] | null
  readonly failure: QuarterdeckError | null
}

export interface ServerStore extends Store<ServerView> {
  refresh(): Promise<void>
}

export interface ServerStoreOptions {
  readonly client: Client
  readonly poll?: Partial<PollOptions>
}

/** What the server is and which agents it serves; an agent file saved on disk shows up within seconds. */
export function createServerStore({ client, ...options }: ServerStoreOptions): ServerStore {
  const cell = createCell<ServerView>(
    { info: null, agents: null, failure: null },
    { onWatched: () => poll(refresh, { everyMs: 4000, ...options.poll }) },
  )

  async function refresh(): Promise<void> {
    try {
      const [info, { agents }] = await Promise.all([client.serverInfo(), client.listAgents()])
      cell.update({ info, agents, failure: null })
    } catch (error) {
      cell.update({ failure: failureOf(error) })
    }
  }

  return { getSnapshot: cell.getSnapshot, subscribe: cell.subscribe, refresh }
}
