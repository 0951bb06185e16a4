// The backends in use, one per agent definition. A changed file produces a new definition and therefore a new backend.
// Open sessions keep the old backend, which is torn down when the last of them closes.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { AgentBackend } from './backend.ts'

export interface PooledBackend extends Pick<AgentBackend, 'createSession' | 'branch' | 'forget'> {
  /** Keeps the backend until the returned function is called. Call it for each session, from its opening to its end. */
  retain(): () => void
}

export type BackendPool = ReturnType<typeof createBackendPool>

export interface BackendPoolOptions {
  readonly create: (agent: AgentDefinition) => AgentBackend | Promise<AgentBackend>
  readonly logger: Logger
}

interface PoolEntry {
  readonly agent: AgentDefinition
  readonly backend: Promise<AgentBackend>
  /** Open sessions plus running operations. */
  uses: number
}

export function createBackendPool({ create, logger }: BackendPoolOptions) {
  const pooled = new Map<AgentDefinition, PoolEntry>()
  /** The definition each agent name had when it was last requested. */
  const latest = new Map<string, AgentDefinition>()
  const retiring = new Set<Promise<void>>()

  async function start(agent: AgentDefinition): Promise<AgentBackend> {
    const backend = await create(agent)
    await backend.initialize()
    return backend
  }

  function addToPool(agent: AgentDefinition): PoolEntry {
    const one = { agent, backend: start(agent), uses: 0 }
    pooled.set(agent, one)
    one.backend.catch(() => pooled.delete(agent))
    return one
  }

  function retireIfUnused(one: PoolEntry): void {
    if (one.uses > 0 || latest.get(one.agent.name) === one.agent) return
    pooled.delete(one.agent)
    const retired = tearDown(one)
      .catch((error: unknown) =>
        logger.warn({ agent: one.agent.name, error }, 'could not tear down a replaced backend'),
      )
      .finally(() => retiring.delete(retired))
    retiring.add(retired)
  }

  function retain(one: PoolEntry): () => void {
    let isRetained = true
    one.uses += 1
    return () => {
      if (isRetained) one.uses -= 1
      if (isRetained) retireIfUnused(one)
      isRetained = false
    }
  }

  /** If the backend was retired before, it is retired again afterwards. */
  async function using<Result>(one: PoolEntry, work: () => Promise<Result>): Promise<Result> {
    const release = retain(one)
    try {
      return await work()
    } finally {
      release()
    }
  }

  const counted = (one: PoolEntry, backend: AgentBackend): PooledBackend => ({
    retain: () => retain(one),
    createSession: backend.createSession,
    branch: (branch) => using(one, () => backend.branch(branch)),
    forget: (sessionId) => using(one, () => backend.forget(sessionId)),
  })

  return {
    /** The backend of exactly this definition. Rejects with the error of `initialize`; the next call tries again. */
    async get(agent: AgentDefinition): Promise<PooledBackend> {
      const one = pooled.get(agent) ?? addToPool(agent)
      const before = latest.get(agent.name)
      latest.set(agent.name, agent)
      const replaced = before === undefined || before === agent ? undefined : pooled.get(before)
      if (replaced !== undefined) retireIfUnused(replaced)
      return counted(one, await one.backend)
    },
    /** Tears down every backend. */
    async close() {
      const backends = [...pooled.values()]
      pooled.clear()
      await Promise.all([...backends.map(tearDown), ...retiring])
    },
  }
}

/** A backend that failed to start has nothing to tear down, and its caller has already received the error. */
async function tearDown({ backend }: PoolEntry): Promise<void> {
  const made = await backend.catch(() => null)
  await made?.teardown()
}
