// The only place where ports meet adapters.
import type {
  AgentDefinition,
  BackendName,
  BudgetBody,
  Principal,
  SessionEvent,
  SessionId,
  SessionState,
  SessionStatus,
} from '@quarterdeck/protocol'
import { createKeyRing, type KeyRing } from './access/key-ring.ts'
import { createOwnSessions } from './access/own-sessions.ts'
import { type Closers, createClosers } from './async/closers.ts'
import { openAuditCopy } from './audit/audit-copy.ts'
import type { AuditDraft } from './audit/audit-entry.ts'
import type { AgentBackend } from './backends/backend.ts'
import { createBackendPool } from './backends/backend-pool.ts'
import { reapOrphans } from './backends/claude/cli/reap-orphans.ts'
import { questionTool } from './backends/question-tool.ts'
import { createAgentHooks } from './hooks/agent-hooks.ts'
import { createHookPoints, type EngineHooks } from './hooks/create-hook-points.ts'
import { joinHooks } from './hooks/join-hooks.ts'
import { type AgentChanges, createAgentChanges } from './isolation/agent-changes.ts'
import { guardUnsandboxed, programsOf } from './isolation/guard-unsandboxed.ts'
import { probeIsolation } from './isolation/probe-isolation.ts'
import type { Isolation } from './isolation/sandbox-command.ts'
import { ensureBudgets } from './money/ensure-budgets.ts'
import { removeLeftFileBudgets } from './money/file-budget.ts'
import { createSessionSpending } from './money/session-spending.ts'
import { createCallHash } from './permissions/calls/call-hash.ts'
import { availableTools } from './permissions/tools/available-tools.ts'
import { createBus } from './ports/bus.ts'
import type { Complete } from './ports/host-toolbox.ts'
import { keyVariableOf } from './ports/key-variables.ts'
import type { Logger } from './ports/logger.ts'
import type { GatewayDecisions, ModelGateway } from './ports/model-gateway.ts'
import { randomIds } from './ports/random-ids.ts'
import { type ProcessSettings, processSettings } from './processes/process-settings.ts'
import { createSpareNotes } from './processes/spare-notes.ts'
import { createRedactor } from './redaction/redact.ts'
import { createRetrieval, type Retrieval } from './retrieval/create-retrieval.ts'
import { createSessionService } from './sessions/api/create-session-service.ts'
import type { UnattendedCall } from './sessions/asks/tool-gate.ts'
import { openBackend } from './sessions/launch/open-backend.ts'
import type { BackendOpening } from './sessions/launch/open-process.ts'
import { openSpare } from './sessions/launch/open-spare.ts'
import { bookBegunAnswers } from './sessions/runtime/begun-answers.ts'
import { createCoordinator } from './sessions/runtime/coordinator.ts'
import { recoverSessions } from './sessions/runtime/recover-sessions.ts'
import { createRetention } from './sessions/runtime/retention.ts'
import type { AgentRegistry, SessionService } from './sessions/session-service.ts'
import { startRollover } from './sessions/turns/resume-funded-sessions.ts'
import type { EventStore } from './store/ports/event-store.ts'
import { openCallKey } from './store/sql/database/open-call-key.ts'
import { lossAccepted, openDataStore } from './store/sql/open-data-store.ts'
import { dataFolders } from './system/data-folders.ts'
import { isHolderAlive, thisProcess } from './system/process-identity.ts'
import { traceSessions } from './telemetry/trace-sessions.ts'
import { createToolboxes } from './toolbox/open-toolbox.ts'
import { startWebhookWorker, type Webhook } from './webhooks/webhook-worker.ts'

export interface EngineOptions {
  /** Absolute. The database, agent workspaces and the backend's own files live below it. */
  readonly dataDir: string
  readonly agents: AgentRegistry
  /** Called once: gives the model side what it asks and reports to. */
  readonly connectModels: (decisions: GatewayDecisions) => ModelGateway
  /** Makes an agent's backend; the Claude SDK's unless a test brings its own. */
  readonly createBackend?: (agent: AgentDefinition) => AgentBackend
  readonly role: 'server' | 'command'
  /** Where a server answers, for the message to whoever is refused. */
  readonly address: string | null
  /** False where nobody can be asked: a call that needs a person is then denied with a sentence. */
  readonly canAsk: boolean
  /** The sandbox of this machine; measured once by default. */
  readonly isolation?: () => Promise<Isolation>
  /** Whether agents that run programs may start on a machine without a sandbox. */
  readonly allowUnsandboxed?: boolean
  /** Called for each call that is denied because it needs an approval and nobody can be asked. Must not throw. */
  readonly onUnattended?: (call: UnattendedCall) => void
  /** The PATH of the agents' shells. */
  readonly shellPath: string
  /** Files with keys that agents and what they start do not see, where the system can hide files. */
  readonly secretFiles?: readonly string[]
  /** Values that must never be written anywhere: asked again and again, because agents come and keys change. */
  readonly secrets: () => readonly string[]
  /** How many agent processes there may be, and for how long; what is not said is fitted to the machine. */
  readonly processes?: Partial<ProcessSettings>
  /** Who outside is told of what; a server's business. */
  readonly webhooks?: readonly Webhook[]
  /** Closed and archived sessions older than this are deleted; nothing is, unless said. */
  readonly deleteAfterMs?: number | null
  /** Budgets that are there from the start. */
  readonly budgets?: readonly BudgetBody[]
  /** Whether functions of agent files are loaded anew when their modules change. */
  readonly isWatching?: boolean
  /** Who listens to what happens inside the agents, and has a say in it. */
  readonly hooks?: EngineHooks
  /** Hears everything that is durable now, of all sessions. Must not throw. */
  readonly onWritten?: (state: SessionState, events: readonly SessionEvent[]) => void
  /** Starts on a data folder that has lost data, and records it in the audit chain. `store.corrupt` otherwise. */
  readonly acceptLoss?: boolean
  /** A file or an http(s) address that gets a copy of the heads of the audit chain. */
  readonly auditCopy?: string
  readonly logger: Logger
}

export interface Engine {
  readonly sessions: SessionService
  /** The same doors as one principal sees them: what belongs to another owner is not there. */
  sessionsOf(principal: Principal): SessionService
  readonly agents: AgentRegistry
  /** Kept replies, for whoever promises idempotency. */
  readonly replies: Pick<EventStore, 'findReply' | 'saveReply'>
  readonly keys: KeyRing
  /** Changes of agent files that wait for a person's decision. */
  readonly agentChanges: Pick<AgentChanges, 'list' | 'decide'>
  /** What the search tools of agents know. */
  readonly retrieval: Omit<Retrieval, 'close'>
  /** How many sessions an earlier server left in the middle. */
  readonly recovered: number
  /**
   * Tells in the log what a dead process left of one session, as every door does before it changes something: for
   * whoever only looks at it. Nothing happens to one that this process works on.
   */
  recover(sessionId: SessionId): Promise<void>
  /** Throws `store.unavailable` while nothing can be written. */
  check(): Promise<void>
  /** How many sessions there are in each state, of all owners. */
  countSessions(): Promise<ReadonlyMap<SessionStatus, number>>
  /** Live subscribers, for leak tests. */
  listenerCount(): number
  /** No new turns; running ones get the grace period, then are interrupted. Nothing is lost. */
  drain(graceMs: number): Promise<void>
  /** Ends every process it started and closes the store. */
  close(): Promise<void>
}

/** Takes the data folder, ends what an earlier crash left behind, recovers open sessions, and is then ready. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { dataDir, logger, acceptLoss = false } = options
  const clock = { now: () => new Date() }
  const holder = thisProcess(options.role, options.address)
  const closers = createClosers(logger)
  const copy = options.auditCopy === undefined ? null : openAuditCopy(copyOptions(options.auditCopy, logger))
  if (copy !== null) closers.add(copy.close)
  try {
    const onHead = copy === null ? {} : { onHead: copy.offer }
    const onLoss = (what: string) => logger.warn({ lost: what }, `continues without lost data: ${what}`)
    const store = await openDataStore({ dataDir, clock, ids: randomIds, acceptLoss, onLoss, ...onHead })
    closers.add(store.close)
    await store.register(holder, isHolderAlive)
    closers.add(() => store.unregister(holder))
    if (options.role === 'server') await store.audit(serverStarted(holder))
    await endOrphans(options)
    return await assemble(options, { store, holder, clock, closers })
  } catch (error) {
    // What keeps a part from closing is logged; what kept the engine from starting is what has to be told.
    await closers.close().catch(() => undefined)
    throw error
  }
}

const copyOptions = (target: string, logger: Logger) => ({
  target,
  onFailure: (error: string) =>
    logger.warn(
      { error },
      'the audit copy could not be written: retrying until it succeeds. Check the target of --audit-copy',
    ),
})

async function endOrphans({ dataDir, logger }: EngineOptions): Promise<void> {
  const orphans = await reapOrphans(dataDir)
  if (orphans > 0) logger.warn({ orphans }, 'ended agent processes that a dead process left behind')
}

/** From here on others acted than before: the chain shows where. */
const serverStarted = ({ id, address }: EngineResources['holder']): AuditDraft => ({
  principal: 'engine',
  action: 'server.started',
  sessionId: null,
  subject: id,
  detail: address === null ? {} : { address },
})

interface EngineResources {
  readonly store: EventStore
  readonly holder: ReturnType<typeof thisProcess>
  readonly clock: { now(): Date }
  readonly closers: Closers
}

// Backends are loaded for the first agent that needs them: the SDK, the loop and the clients of its providers take longer
// to load than everything else together.
const importClaude = () => import('./backends/claude/create-claude-backend.ts')

type BackendMaker = (agent: AgentDefinition) => AgentBackend | Promise<AgentBackend>

const complete: Complete = async (...asked) => (await import('./backends/loop/request/complete.ts')).complete(...asked)

async function assemble(options: EngineOptions, resources: EngineResources): Promise<Engine> {
  const { dataDir, logger, secretFiles = [] } = options
  const { store, holder, clock, closers } = resources
  const isolation = options.isolation ?? (() => probeIsolation())
  const changes = createAgentChanges({
    agents: options.agents,
    isolation,
    audit: store.audit,
    clock,
    logger,
    isServing: options.role === 'server',
  })
  const agents = guardUnsandboxed(changes.agents, { isolation, isAllowed: options.allowUnsandboxed ?? false })
  const { lockedPaths } = agents
  const bus = createBus()
  const ids = randomIds
  const redactor = createRedactor(options.secrets)
  const makers: Readonly<Record<BackendName, BackendMaker>> = {
    claude: async (agent) => {
      const { createClaudeBackend } = await importClaude()
      return createClaudeBackend({
        agent,
        dataDir,
        clock,
        logger,
        isolation: await isolation(),
        // A question that nobody can hear is not offered.
        tools: availableTools(agent.claude, agent.tools).filter((name) => options.canAsk || name !== questionTool),
        catalog: () => agents.catalog(agent.name),
        path: options.shellPath,
        secretFiles,
        lockedPaths,
      })
    },
    loop: async (agent) => {
      const { createLoopBackend } = await import('./backends/loop/create-loop-backend.ts')
      return createLoopBackend({
        agent,
        dataDir,
        clock,
        logger,
        catalog: () => agents.catalog(agent.name),
        canAsk: options.canAsk && availableTools(agent.claude, agent.tools).includes(questionTool),
        unsandboxedReason: programsOf(agent).length === 0 ? null : (await isolation()).why,
        embed: (texts, signal) => retrieval.embedderOf(agent).embed(texts, signal),
      })
    },
  }
  const webhooks = startWebhookWorker({ store, clock, logger, webhooks: options.webhooks ?? [] })
  closers.add(webhooks.close)
  const create = options.createBackend ?? ((agent: AgentDefinition) => makers[agent.backend](agent))
  const backends = createBackendPool({ create, logger })

  const folders = dataFolders(dataDir)
  const hiddenPaths = folders.hidden
  const spareNotes = createSpareNotes({ folder: folders.spares, sessionFolders: [folders.workspaces, folders.claude] })
  if (options.role === 'server') await spareNotes.sweep(async (sessionId) => (await store.load(sessionId)) !== null)
  const acceptLoss = async (what: string) => void (await store.audit(lossAccepted(what)))
  const callKey = await openCallKey(folders.callKey, {
    isInUse: async () => (await store.countByStatus()).size > 0,
    ...(options.acceptLoss === true ? { acceptLoss } : {}),
  })
  const hashCall = createCallHash(callKey)
  const money = createSessionSpending({
    store,
    clock,
    logger,
    catalogOf: (agentName) => agents.catalog(agentName),
    agentOf: (agentName) => agents.load(agentName),
  })
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
    isAlive: isHolderAlive,
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
    // A command works on one session and then ends: nothing is kept ready for another.
    settings: processSettings({ spares: options.role === 'server', ...options.processes }),
  })
  const models = options.connectModels(tracer.watchRequests(coordinator.gatewayDecisions))
  closers.add(models.close)
  closers.add(backends.close)
  const retrieval = createRetrieval({ dataDir, logger, clock, embeddings: models.embeddings })
  closers.add(retrieval.close)
  const { shellPath: path, isWatching = false } = options
  const toolboxes = createToolboxes({
    dataDir,
    path,
    secretFiles,
    lockedPaths,
    isolation,
    logger,
    isWatching,
    complete,
    redact: redactor.text,
    toolSecrets: agents.toolSecrets,
    searchTools: retrieval.open,
  })
  closers.add(toolboxes.close)
  closers.add(coordinator.close)
  const engineHooks = options.hooks ?? createHookPoints({ logger })
  const fileHooks = createAgentHooks({
    dataDir,
    path,
    secretFiles,
    lockedPaths,
    isolation,
    logger,
    redact: redactor.text,
    hookSecrets: agents.hookSecrets,
  })
  const opening: BackendOpening = {
    store,
    agents,
    models,
    hiddenPaths,
    hashCall,
    redactor,
    clock,
    ids,
    logger,
    dataDir,
    spareNotes,
    // What the house hears is what the file's hooks made of it.
    hooksOf: (agent) => joinHooks(fileHooks(agent), engineHooks),
    backendOf: backends.get,
    openToolbox: toolboxes.open,
    canAsk: options.canAsk,
    onUnattended: options.onUnattended ?? (() => undefined),
    expiry: coordinator.expiry,
  }
  if (options.budgets !== undefined) await ensureBudgets({ store, clock }, options.budgets)
  if (options.role === 'server') {
    await removeLeftFileBudgets(
      store,
      (await agents.list()).map(({ name }) => name),
    )
  }
  const bookkeeping = { store, book: coordinator.gatewayDecisions.settle, logger }
  // Before the texts of these answers are settled: they tell how far they came.
  if (options.role === 'server') await bookBegunAnswers(bookkeeping)
  // A command works on one session; the others wait for their server.
  const recovered = options.role === 'server' ? await recoverSessions(store, coordinator) : 0

  const sessions = createSessionService({
    store,
    bus,
    ids,
    clock,
    agents,
    coordinator,
    dataDir,
    hiddenPaths,
    hashCall,
    logger,
    money,
    backendOf: backends.get,
  })
  // A command works on one session; a server also sees to those whose budget has a new day.
  if (options.role === 'server') closers.add(startRollover({ store, clock, ids, logger, money, coordinator }))
  const { deleteAfterMs = null } = options
  if (deleteAfterMs !== null) {
    closers.add(createRetention({ store, clock, logger, deleteAfterMs, sessions: sessions }).start())
  }

  // Loads the SDK before the first session needs it. If that fails, the session's own import reports the error.
  if (options.role === 'server' && options.createBackend === undefined) importClaude().catch(() => undefined)

  return {
    sessions,
    sessionsOf: createOwnSessions({ sessions, store }),
    agents,
    agentChanges: changes,
    replies: store,
    keys: createKeyRing({ store, ids, clock }),
    retrieval,
    recovered,
    async recover(sessionId) {
      await bookBegunAnswers(bookkeeping, sessionId)
      await coordinator.recover(sessionId)
    },
    check: store.check,
    countSessions: store.countByStatus,
    listenerCount: bus.listenerCount,
    drain: coordinator.drain,
    close: closers.close,
  }
}
