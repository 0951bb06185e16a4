// Joins ports and adapters. `create-engine.ts` recovers sessions and starts the workers.
import type { Closers } from './async/closers.ts'
import { createBackends } from './create-backends.ts'
import type { EngineOptions } from './engine-options.ts'
import { createAgentHooks } from './hooks/agent-hooks.ts'
import { createHookPoints } from './hooks/create-hook-points.ts'
import { joinHooks } from './hooks/join-hooks.ts'
import { createAgentChanges } from './isolation/agent-changes.ts'
import { guardUnsandboxed } from './isolation/guard-unsandboxed.ts'
import { probeIsolation } from './isolation/probe-isolation.ts'
import { createSessionSpending } from './money/session-spending.ts'
import { type DataFolder, endOrphans } from './open-data-folder.ts'
import { createCallHash } from './permissions/calls/call-hash.ts'
import type { Clock } from './ports/clock.ts'
import type { Complete } from './ports/host-toolbox.ts'
import type { Logger } from './ports/logger.ts'
import { keyVariableOf } from './ports/sign-in.ts'
import { processSettings } from './processes/process-settings.ts'
import { createSpareNotes } from './processes/spare-notes.ts'
import { createRedactor } from './redaction/redact.ts'
import { createRetrieval } from './retrieval/create-retrieval.ts'
import { createSessionService } from './sessions/api/create-session-service.ts'
import { type BackendOpening, openBackend } from './sessions/launch/open-backend.ts'
import { openSpare } from './sessions/launch/open-spare.ts'
import { createCoordinator } from './sessions/runtime/coordinator.ts'
import { dataFolders } from './system/data-folders.ts'
import { createInProcessBus } from './system/in-process-bus.ts'
import { randomIds as ids } from './system/random-ids.ts'
import { traceSessions } from './telemetry/trace-sessions.ts'
import { createToolboxes } from './toolbox/open-toolbox.ts'

export interface EngineResources extends DataFolder {
  readonly clock: Clock
  readonly closers: Closers
  /** Aborts after everything that writes events has ended, and before the store closes. */
  readonly closing: AbortSignal
  readonly logger: Logger
}

export type AssembledEngine = ReturnType<typeof assembleEngine>

const complete: Complete = async (...asked) => (await import('./backends/loop/request/complete.ts')).complete(...asked)

export function assembleEngine(options: EngineOptions, resources: EngineResources) {
  const { dataDir, canAsk, shellPath: path, secretFiles = [], isWatching = false } = options
  const { store, holder, isAlive, clock, closers, logger } = resources
  const isServing = options.role === 'server'
  const isolation = options.isolation ?? (() => probeIsolation())
  const { audit } = store
  const agentChanges = createAgentChanges({ agents: options.agents, isolation, audit, clock, logger, isServing })
  const agents = guardUnsandboxed(agentChanges.agents, { isolation, isAllowed: options.allowUnsandboxed ?? false })
  const bus = createInProcessBus()
  const redactor = createRedactor(options.secrets)
  const folders = dataFolders(dataDir)
  const spareNotes = createSpareNotes({ folder: folders.spares, sessionFolders: [folders.workspaces, folders.claude] })
  const money = createSessionSpending({ store, clock, logger, catalogOf: agents.catalog, agentOf: agents.load })
  const tracer = traceSessions({ loadAgent: agents.load, headersOf: agents.collectorHeaders, clock, logger })
  closers.add(tracer.close)
  const coordinator = createCoordinator({
    store,
    bus,
    ids,
    clock,
    logger,
    holder,
    redactor,
    isAlive,
    endOrphans: () => endOrphans(options),
    openBackend: (running) => openBackend(opening, running),
    openSpare: (agent, sessionId) => openSpare(opening, agent, sessionId),
    loadAgent: agents.load,
    money,
    keyVariableOf: async (agentName) => keyVariableOf((await agents.load(agentName)).model),
    onClosed: (sessionId) => models.closeSession(sessionId),
    onWritten(state, events) {
      tracer.observe(state, events)
      options.onWritten?.(state, events)
    },
    // A command works on one session and then ends, so it needs no spare processes.
    settings: processSettings({ spares: isServing, ...options.processes }),
    freeMemory: options.freeMemory,
  })
  const models = options.connectModels(tracer.watchRequests(coordinator.gatewayDecisions))
  closers.add(models.close)
  const retrieval = createRetrieval({ dataDir, logger, clock, embeddings: models.embeddings })
  closers.add(retrieval.close)
  const backends = createBackends(options, { agents, clock, isolation, embedderOf: retrieval.embedderOf })
  closers.add(backends.close)
  const { toolSecrets, hookSecrets, lockedPaths } = agents
  const programs = { dataDir, path, secretFiles, lockedPaths, isolation, logger, redact: redactor.text }
  const toolboxes = createToolboxes({ ...programs, isWatching, complete, toolSecrets, searchTools: retrieval.open })
  closers.add(toolboxes.close)
  closers.add(coordinator.close)
  const engineHooks = options.hooks ?? createHookPoints({ logger })
  const fileHooks = createAgentHooks({ ...programs, hookSecrets })
  const hashCall = createCallHash(resources.callKey)
  const backendOf = backends.get
  const shared = { store, agents, clock, ids, logger, dataDir, hiddenPaths: folders.hidden, hashCall, backendOf }
  const opening: BackendOpening = {
    ...shared,
    models,
    redactor,
    spareNotes,
    // The engine's hooks run after the file's hooks and see their changes.
    hooksOf: (agent) => joinHooks(fileHooks(agent), engineHooks),
    openToolbox: options.openToolbox ?? toolboxes.open,
    canAsk,
    onUnattended: options.onUnattended ?? (() => undefined),
  }
  const { sessions, operations } = createSessionService({ ...shared, bus, coordinator, money })
  return { store, ids, bus, agents, agentChanges, money, retrieval, coordinator, spareNotes, sessions, operations }
}
