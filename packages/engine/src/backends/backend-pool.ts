// The backends in use, one per agent definition. A changed file produces a new definition and therefore a new backend.
// Open sessions keep the old backend, which is torn down when the last of them closes.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { AgentBackend, AgentSession, SessionOptions } from './backend.ts'

export interface BackendPool {
  /** The backend of exactly this definition. Rejects with the error of `initialize`; the next call tries again. */
  get(agent: AgentDefinition): Promise<AgentBackend>
  /** Tears down every backend. */
  close(): Promise<void>
}

export interface BackendPoolOptions {
  readonly create: (agent: AgentDefinition) => AgentBackend | Promise<AgentBackend>
  readonly logger: Logger
}

interface PooledBackend {
  readonly agent: AgentDefinition
  readonly backend: Promise<AgentBackend>
  /** Open sessions plus running operations. */
  uses: number
}

export function createBackendPool({ create, logger }: BackendPoolOptions): BackendPool {
  const pooled = new Map<AgentDefinition, PooledBackend>()
  /** The definition each agent name had when it was last requested. */
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
      .catch((error: unknown) =>
        logger.warn({ agent: one.agent.name, error }, 'could not tear down a replaced backend'),
      )
      .finally(() => retiring.delete(retired))
    retiring.add(retired)
  }

  /** Counts as a use while `work` runs. If the backend was retired before, it is retired again afterwards. */
  async function using<Result>(one: PooledBackend, work: () => Promise<Result>): Promise<Result> {
    one.uses += 1
    try {
      return await work()
    } finally {
      one.uses -= 1
      retireIfUnused(one)
    }
  }

  /** Counts as a use until the session closes. */
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

/** A backend that failed to start has nothing to tear down, and its caller has already received the error. */
async function tearDown({ backend }: PooledBackend): Promise<void> {
  const made = await backend.catch(() => null)
  await made?.teardown()
}
