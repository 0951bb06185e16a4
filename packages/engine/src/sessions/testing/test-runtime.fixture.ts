// The engine on a store in memory and a scripted backend, with everything else real.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentDefinition, SessionId, SessionStatus, StreamedEvent } from '@quarterdeck/protocol'
import { onTestFinished } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { noHostTools } from '../../backends/contract/unattended-options.contract.ts'
import { openEngine } from '../../create-engine.ts'
import type { EngineOptions } from '../../engine-options.ts'
import type { AgentRegistry } from '../../ports/agent-registry.ts'
import { noSecrets, testAgent } from '../../testing/agent-definition.fixture.ts'
import { noModels, registryOf, testEngineOptions } from '../../testing/engine-options.fixture.ts'
import { openTestStore } from '../../testing/test-store.fixture.ts'
import { recoverSessions } from '../runtime/recover-sessions.ts'

type GivenOptions = 'store' | 'canAsk' | 'processes' | 'freeMemory' | 'openToolbox' | 'hooks' | 'logger'

export interface TestRuntimeOptions extends Partial<Pick<EngineOptions, GivenOptions>> {
  readonly backend: AgentBackend
  readonly agent?: Partial<AgentDefinition>
  /** The agent file's current content, for tests that change it. */
  readonly definitionNow?: () => Partial<AgentDefinition>
  readonly secrets?: readonly string[]
  /** The model access of a real backend. */
  readonly modelUrl?: () => string
  /** Without a gateway: the backend reports its usage. */
  readonly isUnmetered?: boolean
  readonly hookSecrets?: AgentRegistry['hookSecrets']
}

/** It is closed and its folder removed when the test ends. */
export async function openTestRuntime(options: TestRuntimeOptions) {
  const { backend, agent: change, definitionNow, modelUrl = () => 'http://127.0.0.1:9', ...given } = options
  const root = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-engine-')))
  const [dataDir, project] = [join(root, 'data'), join(root, 'project')]
  for (const folder of [dataDir, project]) await mkdir(folder)
  const closed: SessionId[] = []
  const agent = testAgent(project, change)
  const load = async () => (definitionNow === undefined ? agent : { ...agent, ...definitionNow() })
  const { hookSecrets = noSecrets.hookSecrets, secrets = [], isUnmetered = false } = options
  const { engine, sessions, operations, store, bus, coordinator, money } = await openEngine({
    ...testEngineOptions(dataDir, load),
    openToolbox: async () => ({ ...noHostTools, close: async () => undefined }),
    ...given,
    store: options.store ?? (await openTestStore()),
    // Recovers only when the test asks for it.
    role: 'command',
    agents: { ...registryOf(load), hookSecrets },
    // One key per store, however many runtimes use it.
    callKey: Buffer.from('made-up'),
    // Every earlier holder counts as dead: these tests replace one runtime by the next on the same store.
    isAlive: () => false,
    createBackend: () => backend,
    shellPath: `${dirname(process.execPath)}:/usr/bin:/bin`,
    secrets: () => secrets,
    processes: { maxResident: 12, spares: false, ...options.processes },
    connectModels: () => ({
      ...noModels,
      openSession: async () =>
        isUnmetered
          ? { type: 'environment', variables: {} }
          : { type: 'gateway', baseUrl: modelUrl(), token: 'made-up' },
      closeSession: (sessionId) => void closed.push(sessionId),
    }),
  })

  /** All events of the log. */
  const log = (sessionId: SessionId) => store.read(sessionId, 0, 10_000)

  /** Follows until the session has the status, and returns the events on the way. */
  async function until(sessionId: SessionId, ...statuses: readonly SessionStatus[]): Promise<readonly StreamedEvent[]> {
    const seen: StreamedEvent[] = []
    const stop = new AbortController()
    for await (const event of sessions.follow(sessionId, 0, stop.signal)) {
      seen.push(event)
      if (event.type === 'AgentSessionStatusChanged' && statuses.includes(event.data.to)) break
    }
    return seen
  }

  onTestFinished(async () => {
    await engine.close()
    await rm(root, { recursive: true, force: true })
  })

  return {
    sessions,
    operations,
    store,
    bus,
    coordinator,
    money,
    log,
    until,
    closed,
    dataDir,
    recover: () => recoverSessions(store, coordinator),
  }
}
