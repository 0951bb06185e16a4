// The backends in use: one for each agent definition. A changed file makes a new definition, and so a new backend;
// sessions keep theirs, which goes with the last of them.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { Logger } from '../telemetry/logger.ts'
import type { AgentBackend, AgentSession, SessionOptions } from './backend.ts'

export interface BackendShelf {
  /** The backend of exactly this definition. Throws what its `initialize` throws, and tries again the next time. */
  get(agent: AgentDefinition): Promise<AgentBackend>
  /** Tears every backend down. */
  close(): Promise<void>
}

export interface BackendShelfOptions {
  readonly create: (agent: AgentDefinition) => AgentBackend | Promise<AgentBackend>
  readonly logger: Logger
}

interface Shelved {
  readonly agent: AgentDefinition
  readonly backend: Promise<AgentBackend>
  /** Open sessions, and whatever else is being done with it. */
  uses: number
}

export function createBackendShelf({ create, logger }: BackendShelfOptions): BackendShelf {
  const shelved = new Map<AgentDefinition, Shelved>()
  /** What each agent's name stood for when it was last asked for. */
  const newest = new Map<string, AgentDefinition>()
  const leaving = new Set<Promise<void>>()

  async function start(agent: AgentDefinition): Promise<AgentBackend> {
    const backend = await create(agent)
    await backend.initialize()
    return backend
  }

  function shelve(agent: AgentDefinition): Shelved {
    const one = { agent, backend: start(agent), uses: 0 }
    shelved.set(agent, one)
    one.backend.catch(() => shelved.delete(agent))
    return one
  }

  function leaveUnused(one: Shelved): void {
    if (one.uses > 0 || newest.get(one.agent.name) === one.agent) return
    shelved.delete(one.agent)
    const left = tearDown(one)
      .catch((error: unknown) => logger.warn({ agent: one.agent.name, error }, 'an old backend was not torn down'))
      .finally(() => leaving.delete(left))
    leaving.add(left)
  }

  /** For as long as the work takes. One that left before it was used comes to no harm: it leaves again. */
  async function using<Result>(one: Shelved, work: () => Promise<Result>): Promise<Result> {
    one.uses += 1
    try {
      return await work()
    } finally {
      one.uses -= 1
      leaveUnused(one)
    }
  }

  /** In use until it is closed. */
  async function openCounted(one: Shelved, open: () => Promise<AgentSession>): Promise<AgentSession> {
    const session = await using(one, async () => {
      const opened = await open()
      one.uses += 1
      return opened
    })
    let isOpen = true
    return {
      ...session,
      async close() {
        try {
          await session.close()
        } finally {
          if (isOpen) one.uses -= 1
          if (isOpen) leaveUnused(one)
          isOpen = false
        }
      },
    }
  }

  const counted = (one: Shelved, backend: AgentBackend): AgentBackend => ({
    ...backend,
    invokeOnce: (...asked) => using(one, () => backend.invokeOnce(...asked)),
    createSession: (options: SessionOptions) => openCounted(one, () => backend.createSession(options)),
    branch: (branch) => using(one, () => backend.branch(branch)),
    forget: (sessionId) => using(one, () => backend.forget(sessionId)),
  })

  return {
    async get(agent) {
      const one = shelved.get(agent) ?? shelve(agent)
      const before = newest.get(agent.name)
      newest.set(agent.name, agent)
      const replaced = before === undefined || before === agent ? undefined : shelved.get(before)
      if (replaced !== undefined) leaveUnused(replaced)
      return counted(one, await one.backend)
    },
    async close() {
      const backends = [...shelved.values()]
      shelved.clear()
      await Promise.all([...backends.map(tearDown), ...leaving])
    },
  }
}

/** One that never came to be has nothing to tear down; whoever asked for it was told. */
async function tearDown({ backend }: Shelved): Promise<void> {
  const made = await backend.catch(() => null)
  await made?.teardown()
}
