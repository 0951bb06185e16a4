// The backends in use: one for each agent definition. A changed file makes a new definition, and so a new backend;
// sessions keep theirs, which goes with the last of them.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { AgentBackend, AgentSession, SessionOptions } from './backend.ts'

export interface BackendPool {
  /** The backend of exactly this definition. Throws what its `initialize` throws, and tries again the next time. */
  get(agent: AgentDefinition): Promise<AgentBackend>
  /** Tears every backend down. */
  close(): Promise<void>
}

export interface BackendPoolOptions {
  readonly create: (agent: AgentDefinition) => AgentBackend | Promise<AgentBackend>
  readonly logger: Logger
}

interface PooledBackend {
  readonly agent: AgentDefinition
  readonly backend: Promise<AgentBackend>
  /** Open sessions, and whatever else is being done with it. */
  uses: number
}

export function createBackendPool({ create, logger }: BackendPoolOptions): BackendPool {
  const pooled = new Map<AgentDefinition, PooledBackend>()
  /** What each agent's name stood for when it was last asked for. */
  const latest = new Map<string, AgentDefinition>()
  const retiring = new Set<Promise<void>>()

  async function start(agent: AgentDefinition): Promise<AgentBackend> {
    const backend = await create(agent)
    await backend.initialize()
    return backend
  }

  function addToPool(agent: AgentDefinition): PooledBackend {
    const one = { agent, backend: start(agent), uses: 0 }
    pooled.set(agent, one)
    one.backend.catch(() => pooled.delete(agent))
    return one
  }

  function retireIfUnused(one: PooledBackend): void {
    if (one.uses > 0 || latest.get(one.agent.name) === one.agent) return
    pooled.delete(one.agent)
    const retired = tearDown(one)
      .catch((error: unknown) => logger.warn({ agent: one.agent.name, error }, 'an old backend was not torn down'))
      .finally(() => retiring.delete(retired))
    retiring.add(retired)
  }

  /** For as long as the work takes. One that left before it was used comes to no harm: it leaves again. */
  async function using<Result>(one: PooledBackend, work: () => Promise<Result>): Promise<Result> {
    one.uses += 1
    try {
      return await work()
    } finally {
      one.uses -= 1
      retireIfUnused(one)
    }
  }

  /** In use until it is closed. */
  async function openCounted(one: PooledBackend, open: () => Promise<AgentSession>): Promise<AgentSession> {
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
          if (isOpen) retireIfUnused(one)
          isOpen = false
        }
      },
    }
  }

  const counted = (one: PooledBackend, backend: AgentBackend): AgentBackend => ({
    ...backend,
    invokeOnce: (...asked) => using(one, () => backend.invokeOnce(...asked)),
    createSession: (options: SessionOptions) => openCounted(one, () => backend.createSession(options)),
    branch: (branch) => using(one, () => backend.branch(branch)),
    forget: (sessionId) => using(one, () => backend.forget(sessionId)),
  })

  return {
    async get(agent) {
      const one = pooled.get(agent) ?? addToPool(agent)
      const before = latest.get(agent.name)
      latest.set(agent.name, agent)
      const replaced = before === undefined || before === agent ? undefined : pooled.get(before)
      if (replaced !== undefined) retireIfUnused(replaced)
      return counted(one, await one.backend)
    },
    async close() {
      const backends = [...pooled.values()]
      pooled.clear()
      await Promise.all([...backends.map(tearDown), ...retiring])
    },
  }
}

/** One that never came to be has nothing to tear down; whoever asked for it was told. */
async function tearDown({ backend }: PooledBackend): Promise<void> {
  const made = await backend.catch(() => null)
  await made?.teardown()
}
