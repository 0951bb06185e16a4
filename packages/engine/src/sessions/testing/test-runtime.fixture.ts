// The session service on a memory store and a scripted backend, with everything else real.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type AgentDefinition,
  modelCatalog,
  type SessionId,
  type SessionStatus,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { onTestFinished } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { noHostTools } from '../../backends/contract/unattended-options.contract.ts'
import { createAgentHooks } from '../../hooks/agent-hooks.ts'
import { createHookPoints, type EngineHooks } from '../../hooks/create-hook-points.ts'
import { joinHooks } from '../../hooks/join-hooks.ts'
import { createSessionSpending } from '../../money/session-spending.ts'
import { createCallHash } from '../../permissions/calls/call-hash.ts'
import type { AgentRegistry } from '../../ports/agent-registry.ts'
import { createBus } from '../../ports/bus.ts'
import type { OpenToolbox } from '../../ports/host-toolbox.ts'
import { randomIds } from '../../ports/ids.ts'
import { type Logger, silentLogger } from '../../ports/logger.ts'
import type { ModelAccess } from '../../ports/model-access.ts'
import type { EmbeddingAccess } from '../../ports/model-gateway.ts'
import { type ProcessSettings, processSettings } from '../../processes/process-settings.ts'
import { createSpareNotes } from '../../processes/spare-notes.ts'
import { createRedactor } from '../../redaction/redact.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { noSecrets, testAgent } from '../../testing/agent-definition.fixture.ts'
import { openTestStore } from '../../testing/test-store.fixture.ts'
import { createSessionService } from '../api/create-session-service.ts'
import { type BackendOpening, openBackend } from '../launch/open-backend.ts'
import { openSpare } from '../launch/open-spare.ts'
import { createCoordinator } from '../runtime/coordinator.ts'
import { recoverSessions } from '../runtime/recover-sessions.ts'

export interface TestRuntimeOptions {
  readonly backend: AgentBackend
  readonly store?: EventStore
  readonly agent?: Partial<AgentDefinition>
  /** The agent file's current content, for tests that change it. */
  readonly definitionNow?: () => Partial<AgentDefinition>
  readonly canAsk?: boolean
  readonly processes?: Partial<ProcessSettings>
  readonly freeMemory?: () => number
  readonly secrets?: readonly string[]
  /** The model access of a real backend. */
  readonly modelUrl?: () => string
  readonly openToolbox?: OpenToolbox
  /** Without a gateway: the backend reports its usage. */
  readonly isUnmetered?: boolean
  readonly hooks?: EngineHooks
  readonly hookSecrets?: AgentRegistry['hookSecrets']
  readonly logger?: Logger
  readonly keyVariableOf?: () => Promise<string>
}

const clock = { now: () => new Date() }

/** It is closed and its folder removed when the test ends. */
export async function openTestRuntime(options: TestRuntimeOptions) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-engine-')))
  const [dataDir, project] = [join(root, 'data'), join(root, 'project')]
  for (const folder of [dataDir, project]) await mkdir(folder)
  const store = options.store ?? (await openTestStore({ clock }))
  const bus = createBus()
  const closed: SessionId[] = []
  const ids = randomIds
  const logger = options.logger ?? silentLogger
  const agent: AgentDefinition = testAgent(project, options.agent)
  const load = async () => (options.definitionNow === undefined ? agent : { ...agent, ...options.definitionNow() })
  const agents: AgentRegistry = {
    list: async () => [],
    load,
    catalog: async () => modelCatalog,
    ...noSecrets,
  }
  const modelUrl = options.modelUrl ?? (() => 'http://127.0.0.1:9')
  const models = {
    openSession: async (): Promise<ModelAccess> =>
      options.isUnmetered === true
        ? { type: 'environment', variables: {} }
        : { type: 'gateway', baseUrl: modelUrl(), token: 'made-up' },
    embeddings: async (): Promise<EmbeddingAccess> => ({
      wire: 'openai',
      baseUrl: modelUrl(),
      apiKey: 'made-up',
      apiVersion: null,
    }),
    closeSession: (sessionId: SessionId) => void closed.push(sessionId),
    close: async () => undefined,
  }
  // One key per data folder, however many runtimes use it.
  const hashCall = createCallHash(Buffer.from('made-up'))
  const redactor = createRedactor(options.secrets ?? [])
  const money = createSessionSpending({ store, clock, logger, catalogOf: async () => modelCatalog, agentOf: load })
  const coordinator = createCoordinator({
    store,
    bus,
    ids,
    clock,
    logger,
    redactor,
    holder: { id: ids.next('evt'), role: 'server', pid: process.pid, startTime: '0', address: null },
    // Every earlier holder counts as dead: these tests replace one runtime by the next on the same store.
    isAlive: () => false,
    endOrphans: async () => undefined,
    openBackend: (running) => openBackend(opening, running),
    openSpare: (spareAgent, sessionId) => openSpare(opening, spareAgent, sessionId),
    loadAgent: agents.load,
    money,
    keyVariableOf: options.keyVariableOf ?? (async () => 'ANTHROPIC_API_KEY'),
    onClosed: models.closeSession,
    settings: processSettings({ maxResident: 12, spares: false, ...options.processes }),
    ...(options.freeMemory === undefined ? {} : { freeMemory: options.freeMemory }),
  })
  const engineHooks = options.hooks ?? createHookPoints({ logger })
  const fileHooks = createAgentHooks({
    dataDir,
    path: `${dirname(process.execPath)}:/usr/bin:/bin`,
    logger,
    redact: redactor.text,
    hookSecrets: options.hookSecrets ?? agents.hookSecrets,
  })
  const backendOf = async () => ({ ...options.backend, retain: () => () => undefined })
  const shared = { store, agents, clock, ids, logger, dataDir, hiddenPaths: [], hashCall, backendOf }
  const opening: BackendOpening = {
    ...shared,
    models,
    redactor,
    spareNotes: createSpareNotes({ folder: join(dataDir, 'spares'), sessionFolders: [] }),
    hooksOf: (one) => joinHooks(fileHooks(one), engineHooks),
    openToolbox: options.openToolbox ?? (async () => ({ ...noHostTools, close: async () => undefined })),
    canAsk: options.canAsk ?? true,
    onUnattended: () => undefined,
  }
  const sessions = createSessionService({ ...shared, bus, coordinator, money })

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
    await coordinator.close()
    await rm(root, { recursive: true, force: true })
  })

  return {
    sessions,
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
