// The composition root: the only file that connects ports with adapters.
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
import { createAgentHooks } from './hooks/agent-hooks.ts'
import { createHookPoints, type EngineHooks } from './hooks/create-hook-points.ts'
import { joinHooks } from './hooks/join-hooks.ts'
import { type AgentChanges, createAgentChanges } from './isolation/agent-changes.ts'
import { guardUnsandboxed, programsOf } from './isolation/guard-unsandboxed.ts'
import { probeIsolation } from './isolation/probe-isolation.ts'
import type { Isolation } from './isolation/sandbox-command.ts'
import { ensureBudgets } from './money/ensure-budgets.ts'
import { removeOrphanedFileBudgets } from './money/file-budget.ts'
import { createSessionSpending } from './money/session-spending.ts'
import { createCallHash } from './permissions/calls/call-hash.ts'
import { availableTools } from './permissions/tools/available-tools.ts'
import type { AgentRegistry } from './ports/agent-registry.ts'
import { createBus } from './ports/bus.ts'
import type { Complete } from './ports/host-toolbox.ts'
import { randomIds } from './ports/ids.ts'
import type { Logger } from './ports/logger.ts'
import type { GatewayDecisions, ModelGateway } from './ports/model-gateway.ts'
import { questionTool } from './ports/question-tool.ts'
import { keyVariableOf } from './ports/sign-in.ts'
import { type ProcessSettings, processSettings } from './processes/process-settings.ts'
import { createSpareNotes } from './processes/spare-notes.ts'
import { createRedactor } from './redaction/redact.ts'
import { createRetrieval, type Retrieval } from './retrieval/create-retrieval.ts'
import { createSessionService } from './sessions/api/create-session-service.ts'
import type { UnattendedCall } from './sessions/asks/tool-gate.ts'
import { type BackendOpening, openBackend } from './sessions/launch/open-backend.ts'
import { openSpare } from './sessions/launch/open-spare.ts'
import { bookBegunAnswers } from './sessions/runtime/begun-answers.ts'
import { createCoordinator } from './sessions/runtime/coordinator.ts'
import { recoverSessions } from './sessions/runtime/recover-sessions.ts'
import { createRetention } from './sessions/runtime/retention.ts'
import type { SessionService } from './sessions/session-service.ts'
import { startRollover } from './sessions/turns/resume-funded-sessions.ts'
import { type FollowAllFrom, followAll } from './store/feed/follow-all.ts'
import type { EventStore, Holder } from './store/ports/event-store.ts'
import type { LogPage } from './store/ports/streams.ts'
import { openCallKey } from './store/sql/database/open-call-key.ts'
import { lossAccepted, openDataStore } from './store/sql/open-data-store.ts'
import { dataFolders } from './system/data-folders.ts'
import { isHolderAlive, ownIdentity } from './system/process-identity.ts'
import { traceSessions } from './telemetry/trace-sessions.ts'
import { createToolboxes } from './toolbox/open-toolbox.ts'
import { startWebhookWorker, type Webhook } from './webhooks/webhook-worker.ts'

export interface EngineOptions {
  /** Absolute. Contains the database, the agents' workspaces and the files of the backends. */
  readonly dataDir: string
  readonly agents: AgentRegistry
  /** Called once. Gets the decisions that the gateway asks for and reports to. */
  readonly connectModels: (decisions: GatewayDecisions) => ModelGateway
  /** Creates an agent's backend. Tests pass their own. */
  readonly createBackend?: (agent: AgentDefinition) => AgentBackend
  readonly role: 'server' | 'command'
  /** The server's address, for the error message to a second server on the same data folder. */
  readonly address: string | null
  /** False if there is no person to ask: calls that need an approval are then denied with a reason. */
  readonly canAsk: boolean
  /** The sandbox of this machine. Probed once by default. */
  readonly isolation?: () => Promise<Isolation>
  /** Whether agents that run programs may start on a machine without a sandbox. */
  readonly allowUnsandboxed?: boolean
  /** Called for each call that is denied because it needs an approval and there is no person to ask. Must not throw. */
  readonly onUnattended?: (call: UnattendedCall) => void
  /** The PATH of the agents' shells. */
  readonly shellPath: string
  /** Files with keys, hidden from agents and their subprocesses where the system can hide files. */
  readonly secretFiles?: readonly string[]
  /** Values that must never be written anywhere. Read on every use, because agents and keys change. */
  readonly secrets: () => readonly string[]
  /** Limits for agent processes. Defaults depend on the machine. */
  readonly processes?: Partial<ProcessSettings>
  /** Used by servers only. */
  readonly webhooks?: readonly Webhook[]
  /** Closed and archived sessions older than this are deleted. `null` disables deletion (default). */
  readonly deleteAfterMs?: number | null
  /** Budgets that are created at the start. */
  readonly budgets?: readonly BudgetBody[]
  /** Whether functions of agent files are reloaded when their modules change. */
  readonly isWatching?: boolean
  /** Listeners for events inside the agents, which may also decide on them. */
  readonly hooks?: EngineHooks
  /** Called with all durable events of all sessions. Must not throw. */
  readonly onWritten?: (state: SessionState, events: readonly SessionEvent[]) => void
  /** Starts on a data folder that has lost data and records the loss in the audit chain, instead of `store.corrupt`. */
  readonly acceptLoss?: boolean
  /** A file or an http(s) address for a copy of the heads of the audit chain. */
  readonly auditCopy?: string
  readonly logger: Logger
}

export interface Engine {
  readonly sessions: SessionService
  /** The session service as one principal sees it: sessions of other owners answer like unknown ids. */
  sessionsOf(principal: Principal): SessionService
  readonly agents: AgentRegistry
  /** Stored replies, for idempotent requests. */
  readonly replies: Pick<EventStore, 'findReply' | 'saveReply'>
  readonly keys: KeyRing
  /** Changes of agent files that wait for a person's decision. */
  readonly agentChanges: Pick<AgentChanges, 'list' | 'decide'>
  /** The indexes of the agents' search tools. */
  readonly retrieval: Omit<Retrieval, 'close'>
  /** How many interrupted sessions of an earlier server were recovered. */
  readonly recovered: number
  /**
   * Records in the log how a dead process left one session. Every operation that changes a session does this first;
   * call it before only reading one. Does nothing to a session that this process works on.
   */
  recover(sessionId: SessionId): Promise<void>
  /** Throws `store.unavailable` while nothing can be written. */
  check(): Promise<void>
  /** The number of sessions of all owners in each state. */
  countSessions(): Promise<ReadonlyMap<SessionStatus, number>>
  /**
   * The events of all streams and all owners after a position, then live ones, page by page. A reader continues with the
   * `next` of its last page, even after a restart. Callers filter by owner before they pass events on. Ends when the
   * signal aborts or the engine closes.
   */
  followAll(from: FollowAllFrom): AsyncIterable<LogPage>
  /** The position of the last event, for a reader that only wants later ones. */
  lastPosition(): Promise<number>
  /** Live subscribers, for leak tests. */
  listenerCount(): number
  /** Starts no new turns. Running turns get the grace period, then they are interrupted. Nothing is lost. */
  drain(graceMs: number): Promise<void>
  /** Ends every process that the engine started and closes the store. */
  close(): Promise<void>
}

/** Takes the data folder, ends processes of an earlier crash, recovers open sessions, and resolves when ready. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { dataDir, logger, acceptLoss = false } = options
  const clock = { now: () => new Date() }
  const holder: Holder = { ...ownIdentity(), role: options.role, address: options.address }
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
    // The error that prevented the start is thrown. Errors while closing are only logged.
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

/** Marks in the audit chain where another process took over. */
const serverStarted = ({ id, address }: EngineResources['holder']): AuditDraft => ({
  principal: 'engine',
  action: 'server.started',
  sessionId: null,
  subject: id,
  detail: address === null ? {} : { address },
})

interface EngineResources {
  readonly store: EventStore
  readonly holder: Holder
  readonly clock: { now(): Date }
  readonly closers: Closers
}

// Backends are imported for the first agent that needs them: the SDK, the loop and its provider clients take longer to
// load than everything else together.
const importClaude = () => import('./backends/claude/create-claude-backend.ts')

type BackendMaker = (agent: AgentDefinition) => AgentBackend | Promise<AgentBackend>

const complete: Complete = async (...asked) => (await import('./backends/loop/request/complete.ts')).complete(...asked)

async function assemble(options: EngineOptions, resources: EngineResources): Promise<Engine> {
  const { dataDir, logger, secretFiles = [] } = options
  const { store, holder, clock, closers } = resources
  const closing = new AbortController()
  // After everything that writes events has ended, and before the store closes.
  closers.add(() => closing.abort())
  const isolation = options.isolation ?? (() => probeIsolation())
  const isServing = options.role === 'server'
  const { audit } = store
  const changes = createAgentChanges({ agents: options.agents, isolation, audit, clock, logger, isServing })
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
        // Without a person to ask, the question tool is not offered.
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
  const spareNotes = createSpareNotes({ folder: folders.spares, sessionFolders: [folders.workspaces, folders.claude] })
  if (isServing) await spareNotes.sweep(async (sessionId) => (await store.load(sessionId)) !== null)
  const acceptLoss = async (what: string) => void (await store.audit(lossAccepted(what)))
  const callKey = await openCallKey(folders.callKey, {
    isInUse: async () => (await store.countByStatus()).size > 0,
    ...(options.acceptLoss === true ? { acceptLoss } : {}),
  })
  const hashCall = createCallHash(callKey)
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
    // A command works on one session and then ends, so it needs no spare processes.
    settings: processSettings({ spares: isServing, ...options.processes }),
  })
  const models = options.connectModels(tracer.watchRequests(coordinator.gatewayDecisions))
  closers.add(models.close)
  closers.add(backends.close)
  const retrieval = createRetrieval({ dataDir, logger, clock, embeddings: models.embeddings })
  closers.add(retrieval.close)
  const { shellPath: path, isWatching = false } = options
  const programs = { dataDir, path, secretFiles, lockedPaths, isolation, logger, redact: redactor.text }
  const { toolSecrets, hookSecrets } = agents
  const toolboxes = createToolboxes({ ...programs, isWatching, complete, toolSecrets, searchTools: retrieval.open })
  closers.add(toolboxes.close)
  closers.add(coordinator.close)
  const engineHooks = options.hooks ?? createHookPoints({ logger })
  const fileHooks = createAgentHooks({ ...programs, hookSecrets })
  const backendOf = backends.get
  const shared = { store, agents, clock, ids, logger, dataDir, hiddenPaths: folders.hidden, hashCall, backendOf }
  const opening: BackendOpening = {
    ...shared,
    models,
    redactor,
    spareNotes,
    // The engine's hooks run after the file's hooks and see their changes.
    hooksOf: (agent) => joinHooks(fileHooks(agent), engineHooks),
    openToolbox: toolboxes.open,
    canAsk: options.canAsk,
    onUnattended: options.onUnattended ?? (() => undefined),
  }
  if (options.budgets !== undefined) await ensureBudgets({ store, clock }, options.budgets)
  if (isServing) {
    await removeOrphanedFileBudgets(
      store,
      (await agents.list()).map(({ name }) => name),
    )
  }
  const bookkeeping = { store, book: coordinator.gatewayDecisions.settle, logger }
  // Runs before recovery settles the texts of these answers, because the texts show how far each answer came.
  if (isServing) await bookBegunAnswers(bookkeeping)
  // A command works on one session. The others wait for their server.
  const recovered = isServing ? await recoverSessions(store, coordinator) : 0

  const sessions = createSessionService({ ...shared, bus, coordinator, money })
  // A command works on one session. A server also resumes sessions whose budget period has renewed.
  if (isServing) closers.add(startRollover({ store, clock, ids, logger, money, coordinator }))
  const { deleteAfterMs = null } = options
  if (deleteAfterMs !== null) {
    closers.add(createRetention({ store, clock, logger, deleteAfterMs, sessions }).start())
  }

  // Loads the SDK before the first session needs it. If that fails, the session's own import reports the error.
  if (isServing && options.createBackend === undefined) importClaude().catch(() => undefined)

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
    followAll: (from) => followAll(store, from, closing.signal),
    lastPosition: store.lastPosition,
    listenerCount: bus.listenerCount,
    drain: coordinator.drain,
    close: closers.close,
  }
}
