import type {
  AgentDefinition,
  BudgetBody,
  GatewayDecisions,
  Principal,
  SessionEvent,
  SessionId,
  SessionState,
  SessionStatus,
} from '@quarterdeck/protocol'
import type { KeyOperations, KeyRing } from './access/key-ring.ts'
import type { AgentBackend } from './backends/backend.ts'
import type { EngineHooks } from './hooks/create-hook-points.ts'
import type { AgentChanges } from './isolation/agent-changes.ts'
import type { Isolation } from './isolation/sandbox-command.ts'
import type { AgentRegistry } from './ports/agent-registry.ts'
import type { OpenToolbox } from './ports/host-toolbox.ts'
import type { Logger } from './ports/logger.ts'
import type { ModelConnections } from './ports/model-connections.ts'
import type { ProcessSettings } from './processes/process-settings.ts'
import type { Retrieval } from './retrieval/create-retrieval.ts'
import type { UnattendedCall } from './sessions/asks/tool-gate.ts'
import type { SessionOperations, SessionService } from './sessions/session-service.ts'
import type { FollowAllFrom } from './store/follow-all.ts'
import type { EventStore, Holder } from './store/ports/event-store.ts'
import type { LogPage } from './store/ports/streams.ts'
import type { Webhook } from './webhooks/webhook-worker.ts'

/** Parts that the engine creates unless they are given. Tests give their own. */
export interface EngineParts {
  /** The caller closes it. By default the engine opens the database of the data folder. */
  readonly store?: EventStore
  /** The key of the hashes that identify calls. By default a file of the data folder. */
  readonly callKey?: Buffer
  /** Whether the process of a holder still runs. */
  readonly isAlive?: (holder: Holder) => boolean
  /** Creates an agent's backend. */
  readonly createBackend?: ((agent: AgentDefinition) => AgentBackend) | undefined
  readonly openToolbox?: OpenToolbox
  /** The isolation of this machine. Probed once by default. */
  readonly isolation?: (() => Promise<Isolation>) | undefined
  /** In bytes. */
  readonly freeMemory?: () => number
}

export interface EngineOptions extends EngineParts {
  /** Absolute. Contains the database, the agents' workspaces and the files of the backends. */
  readonly dataDir: string
  readonly agents: AgentRegistry
  /** Called once. Gets the decisions that the gateway asks for and reports to. */
  readonly connectModels: (decisions: GatewayDecisions) => ModelConnections
  readonly role: 'server' | 'command'
  /** The server's address, for the error message to a second server on the same data folder. */
  readonly address: string | null
  /** False if there is no person to ask: calls that need an approval are then denied with a reason. */
  readonly canAsk: boolean
  /** Whether agents that run programs may start on a machine without isolation. */
  readonly allowUnsandboxed?: boolean
  /** Called for each call that is denied because it needs an approval and there is no person to ask. Must not throw. */
  readonly onUnattended?: ((call: UnattendedCall) => void) | undefined
  /** The PATH of the agents' shells. */
  readonly shellPath: string
  /** Files with keys, hidden from agents and their subprocesses where the system can hide files. */
  readonly secretFiles?: readonly string[]
  /** Values that must never be written anywhere. Read on every use, because agents and keys change. */
  readonly secrets: () => readonly string[]
  /** Limits for agent processes. Defaults depend on the machine. */
  readonly processes?: Partial<ProcessSettings>
  /** A command ignores them. */
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
  readonly auditCopy?: string | undefined
  readonly logger: Logger
}

export interface Engine {
  readonly sessions: SessionService
  /** The session service as one principal sees it: sessions of other owners answer like unknown ids. */
  sessionsOf(principal: Principal): SessionService
  /** The same operations and those on keys, for transports that have parsed the input. */
  operationsOf(principal: Principal): SessionOperations & KeyOperations
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
