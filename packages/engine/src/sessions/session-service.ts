// The engine's door for everything that wants to talk to sessions: the server, the command line, tests.
import type {
  AgentDefinition,
  AgentSummary,
  AnswerQuestionBody,
  Applied,
  ApprovalDecision,
  ApprovalId,
  ApprovalList,
  AuditEntry,
  AuditVerdict,
  Budget,
  BudgetBody,
  BudgetId,
  Capabilities,
  CatalogModel,
  ChangeSessionBody,
  ClientCallId,
  ClientCallList,
  ClientDeclaration,
  CreateSessionBody,
  EventPage,
  ForkSessionBody,
  History,
  Inbox,
  InputImage,
  JsonObject,
  ListSessionsQuery,
  MessageAccepted,
  MessageDelivery,
  PermissionRule,
  PromoteMessageBody,
  QuestionId,
  QuestionList,
  Queue,
  QueuedMessage,
  ReturnClientCallBody,
  RewindReport,
  RewindSessionBody,
  SessionId,
  SessionPage,
  SessionSnapshot,
  StreamedEvent,
  UsageQuery,
  UsageReport,
  UserMessageId,
} from '@quarterdeck/protocol'
import type { Spender } from '../store/ports/money-store.ts'

export interface Decision {
  readonly decision: ApprovalDecision
  readonly input?: JsonObject | undefined
  /** With `allow_session`: the offered rule to add; the narrowest by default. */
  readonly rule?: PermissionRule | undefined
  readonly note?: string | undefined
}

export interface NewMessage {
  readonly content: string
  readonly delivery?: MessageDelivery | undefined
  readonly images?: readonly InputImage[] | undefined
  /** What the message's id is made from. The same seed again is the same message: it is not queued twice. */
  readonly seed?: string | undefined
}

/** What a wire may add to what a client asks for. It can only narrow what the agent file allows. */
export type NewSession = CreateSessionBody & {
  /** Where that is not who asks. */
  readonly owner?: string | undefined
  /** Said to the agent behind what its file says, for the whole life of the session. */
  readonly instructions?: string | undefined
  /** Of the agent's tools and the client's only these, by the names the model calls them by or their bare MCP names. */
  readonly allowedTools?: readonly string[] | undefined
  /** Whether the model must be in the catalog. */
  readonly isCatalogOnly?: boolean
}

export type NewFork = ForkSessionBody & {
  /** Where that is not who asks. */
  readonly owner?: string | undefined
  /** The same seed again is the same fork. */
  readonly seed?: string | undefined
}

export type SessionChange = ChangeSessionBody & {
  /** True for callers that may not raise a limit above the agent file's, nor choose a model outside the catalog. */
  readonly isWithinFile?: boolean | undefined
}

/** `by` is the name of who asks; it ends up in the log. Expected failures are thrown as `QuarterdeckError`. */
export interface SessionService
  extends LifecycleOperations,
    AskOperations,
    BudgetOperations,
    ProcessOperations,
    AuditOperations {
  /** The same seed again is the same session: a retry after a crash finds what the first try made. */
  create(body: NewSession, by: string, seed?: string): Promise<Applied>
  /** Committed when this resolves; handed to the agent when its turn comes. */
  send(sessionId: SessionId, message: NewMessage, by: string): Promise<MessageAccepted>
  /** Asks the running turn to end; the log says when it has. */
  interrupt(sessionId: SessionId, by: string): Promise<Applied>
  /** Stops whatever runs and closes the session for good; the log says when it has. */
  cancel(sessionId: SessionId, by: string): Promise<Applied>
  /** Closes a resting session as completed and ends its process. */
  close(sessionId: SessionId, by: string): Promise<Applied>
  /** The first decision wins. A process that waits hears it at once; without one the agent is woken and told. */
  decide(approvalId: ApprovalId, decision: Decision, by: string): Promise<Applied>

  snapshot(sessionId: SessionId): Promise<SessionSnapshot>
  list(query: ListSessionsQuery): Promise<SessionPage>
  approvals(sessionId?: SessionId): Promise<ApprovalList>
  events(sessionId: SessionId, after: number, limit: number): Promise<EventPage>
  /**
   * Everything after `after`, then live, gap-free across the seam; text in progress comes as a snapshot first. Ends when
   * the signal aborts, and with `cursor.beyond-log` (thrown) when `after` is more than the log holds. A reader too slow
   * for its bounded buffer is served from the store again: it loses tokens, never events.
   */
  follow(sessionId: SessionId, after: number, signal: AbortSignal): AsyncIterable<StreamedEvent>
  /**
   * As `follow`, pushed: a live event is in the sink before `publish` returns, without a promise for each reader and
   * event. Resolves when the signal aborts; rejects where `follow` throws.
   */
  feed(from: { sessionId: SessionId; after: number; signal: AbortSignal }, sink: EventSink): Promise<void>
}

/** One reader's end of a session. Neither function throws. */
export interface EventSink {
  /**
   * Takes all of it, at once and in order. False: no more before `drained` resolves, what comes meanwhile is read from the
   * log. Every reader of a live event gets the same array, so what is made of it can be made once.
   */
  take(events: readonly StreamedEvent[]): boolean
  /** Resolves when the reader can take more, or is gone. */
  drained(): Promise<void>
}

export interface LifecycleOperations {
  /** The messages that wait, next one first. */
  messages(sessionId: SessionId): Promise<readonly QueuedMessage[]>
  editMessage(of: WaitingMessage, content: string, by: string): Promise<Applied>
  cancelMessage(of: WaitingMessage, by: string): Promise<Applied>
  /** Puts it first; an immediate one is offered to the running turn and waits, first in line, when there is none. */
  promoteMessage(of: WaitingMessage, body: PromoteMessageBody, by: string): Promise<Applied>
  /** Model, mode and thinking hold from the next model request on; the conversation is kept. */
  change(sessionId: SessionId, body: SessionChange, by: string): Promise<Applied>
  pause(sessionId: SessionId, by: string): Promise<Applied>
  resume(sessionId: SessionId, by: string): Promise<Applied>
  /** A new session with the conversation up to a message. At a person's message: before it, and it is asked again. */
  fork(sessionId: SessionId, fork: NewFork, by: string): Promise<Applied>
  rewind(sessionId: SessionId, body: RewindSessionBody, by: string): Promise<RewindReport>
  remove(sessionId: SessionId, by: string): Promise<Applied>
  capabilities(sessionId: SessionId): Promise<Capabilities>
  history(sessionId: SessionId): Promise<History>
  messageSubagent(
    to: { sessionId: SessionId; agentId: string },
    message: Omit<NewMessage, 'delivery'>,
    by: string,
  ): Promise<Applied>
}

export interface WaitingMessage {
  readonly sessionId: SessionId
  readonly messageId: UserMessageId
}

export interface AskOperations {
  inbox(): Promise<Inbox>
  questions(sessionId?: SessionId): Promise<QuestionList>
  answer(questionId: QuestionId, body: AnswerQuestionBody, by: string): Promise<Applied>
  revokeRule(sessionId: SessionId, rule: PermissionRule, by: string): Promise<Applied>
  attachClient(sessionId: SessionId, client: ClientDeclaration, by: string): Promise<Applied>
  detachClient(sessionId: SessionId, clientId: string, by: string): Promise<Applied>
  clientCalls(sessionId: SessionId): Promise<ClientCallList>
  /** The first result counts; the second is refused with who gave the first. */
  returnClientCall(callId: ClientCallId, body: ReturnClientCallBody, by: string): Promise<Applied>
}

export interface BudgetOperations {
  usage(query: UsageQuery): Promise<UsageReport>
  /** Those that hold for a spender, with what is spent of them; of one for each (`*`) what this one has spent. */
  budgets(spender?: Spender): Promise<readonly Budget[]>
  createBudget(body: BudgetBody, by: string): Promise<Budget>
  changeBudget(budgetId: BudgetId, limit: number, by: string): Promise<Budget>
  removeBudget(budgetId: BudgetId, by: string): Promise<void>
}

export interface ProcessOperations {
  /** Somebody is about to write to this session: its process starts now, if there is room. */
  wake(sessionId: SessionId): Promise<Applied>
  /** Somebody is about to use this agent: a process is kept ready, if there is room. True when one is. */
  warm(agentName: string): Promise<boolean>
  queue(): Promise<Queue>
}

export interface AuditOperations {
  audit(after: number, limit: number): Promise<readonly AuditEntry[]>
  verifyAudit(): Promise<AuditVerdict>
}

/** The agents that can be started by name. Implemented by the config room. */
export interface AgentRegistry {
  /** Every agent file found, broken ones included with what is wrong with them. */
  list(): Promise<readonly AgentSummary[]>
  /** Reads the file again when it has changed. Throws `agent.not-found` or `config.*`. */
  load(name: string): Promise<AgentDefinition>
  /** The model catalog with the prices this agent's config files give; the plain one for an agent that is gone. */
  catalog(name: string): Promise<readonly CatalogModel[]>
  /** Values of what each tool of this agent is given, by the tool's own name. Never in an event, a log or an error. */
  toolSecrets(name: string): Promise<Readonly<Record<string, ToolSecrets>>>
  /** Values of the variables that each hook script of this agent sees, in the order of its hooks. */
  hookSecrets(name: string): Promise<readonly Readonly<Record<string, string>>[]>
  /** Values of the headers that go to whoever collects this agent's traces. */
  collectorHeaders(name: string): Promise<Readonly<Record<string, string>>>
  /** Files and folders that decide what the agents loaded so far may do. They may not exist. */
  lockedPaths(): readonly string[]
}

export interface ToolSecrets {
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}
