import type { AgentSummary, Client, QuarterdeckError, ServerInfo } from '@quarterdeck/protocol'
import { createCell, type Store } from './cell.ts'
import { failureOf } from './failure.ts'
import { type PollOptions, poll } from './poll.ts'

export type ServerModels = Awaited<ReturnType<Client['listModels']>>['models']

export interface ServerView {
  readonly info: ServerInfo | null
  readonly agents: readonly AgentSummary[] | null
  readonly models: ServerModels | null
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
    { info: null, agents: null, models: null, failure: null },
    { onWatched: () => poll(refresh, { everyMs: 4000, ...options.poll }) },
  )

  async function refresh(): Promise<void> {
    try {
      const known = cell.getSnapshot().models
      const [info, { agents }, models] = await Promise.all([
        client.serverInfo(),
        client.listAgents(),
        known ?? client.listModels().then((reply) => reply.models),
      ])
      cell.update({ info, agents, models, failure: null })
    } catch (error) {
      cell.update({ failure: failureOf(error) })
    }
  }

  return { getSnapshot: cell.getSnapshot, subscribe: cell.subscribe, refresh }
}
