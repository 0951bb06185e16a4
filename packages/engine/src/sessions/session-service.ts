// The engine's interface for everything that works with sessions: the server, the command line, tests.
import type {
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
  /** With `allow_session`: which of the offered rules to add. The narrowest by default. */
  readonly rule?: PermissionRule | undefined
  readonly note?: string | undefined
}

export interface NewMessage {
  readonly content: string
  readonly delivery?: MessageDelivery | undefined
  readonly images?: readonly InputImage[] | undefined
  /** Decides the message's id. The same seed again is the same message, which is not queued twice. */
  readonly seed?: string | undefined
}

/** A client's request with the additions of a wire. They can only narrow what the agent file allows. */
export type NewSession = CreateSessionBody & {
  /** The caller by default. */
  readonly owner?: string | undefined
  /** Appended to the instructions of the agent file for the whole life of the session. */
  readonly instructions?: string | undefined
  /** Allows only these of the agent's and the client's tools, by the model's names or their bare MCP names. */
  readonly allowedTools?: readonly string[] | undefined
  /** Whether the model must be in the catalog. */
  readonly isCatalogOnly?: boolean
}

export type NewFork = ForkSessionBody & {
  /** The caller by default. */
  readonly owner?: string | undefined
  /** The same seed again is the same fork. */
  readonly seed?: string | undefined
}

export type SessionChange = ChangeSessionBody & {
  /** True for callers that may neither raise a limit above the agent file's nor choose a model outside the catalog. */
  readonly isWithinFile?: boolean | undefined
}

/** `by` is the name of the caller for the log. Expected failures are thrown as `QuarterdeckError`. */
export interface SessionService
  extends CreateOperations,
    MessageOperations,
    SettingOperations,
    LifecycleOperations,
    AskOperations,
    ClientOperations,
    BudgetOperations,
    ProcessOperations,
    AuditOperations,
    ReadOperations {}

export interface CreateOperations {
  /** The same seed again is the same session: a retry after a crash finds the session of the first attempt. */
  create(body: NewSession, by: string, seed?: string): Promise<Applied>
}

export interface MessageOperations {
  /** The message is committed when this resolves. The agent gets it in its turn. */
  send(sessionId: SessionId, message: NewMessage, by: string): Promise<MessageAccepted>
  /** The queued messages, the next one first. */
  messages(sessionId: SessionId): Promise<readonly QueuedMessage[]>
  editMessage(of: WaitingMessage, content: string, by: string): Promise<Applied>
  cancelMessage(of: WaitingMessage, by: string): Promise<Applied>
  /** Moves it to the front. An immediate one is offered to the running turn, and stays first if there is none. */
  promoteMessage(of: WaitingMessage, body: PromoteMessageBody, by: string): Promise<Applied>
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

export interface SettingOperations {
  /** Model, mode and thinking apply from the next model request on. The conversation is kept. */
  change(sessionId: SessionId, body: SessionChange, by: string): Promise<Applied>
}

export interface LifecycleOperations {
  /** Asks the running turn to end. An event reports when it has. */
  interrupt(sessionId: SessionId, by: string): Promise<Applied>
  /** Stops all work and closes the session for good. An event reports when it is closed. */
  cancel(sessionId: SessionId, by: string): Promise<Applied>
  /** Closes a resting session as completed and ends its process. */
  close(sessionId: SessionId, by: string): Promise<Applied>
  pause(sessionId: SessionId, by: string): Promise<Applied>
  resume(sessionId: SessionId, by: string): Promise<Applied>
  /** Starts a session with the conversation up to a message. A user message is left out and sent again. */
  fork(sessionId: SessionId, fork: NewFork, by: string): Promise<Applied>
  rewind(sessionId: SessionId, body: RewindSessionBody, by: string): Promise<RewindReport>
  remove(sessionId: SessionId, by: string): Promise<Applied>
}

export interface AskOperations {
  /** The first decision wins. A waiting process gets it at once; otherwise the agent is woken with it. */
  decide(approvalId: ApprovalId, decision: Decision, by: string): Promise<Applied>
  answer(questionId: QuestionId, body: AnswerQuestionBody, by: string): Promise<Applied>
  revokeRule(sessionId: SessionId, rule: PermissionRule, by: string): Promise<Applied>
}

export interface ClientOperations {
  attachClient(sessionId: SessionId, client: ClientDeclaration, by: string): Promise<Applied>
  detachClient(sessionId: SessionId, clientId: string, by: string): Promise<Applied>
  clientCalls(sessionId: SessionId): Promise<ClientCallList>
  /** The first result counts. A second one is refused with the name of the client that gave the first. */
  returnClientCall(callId: ClientCallId, body: ReturnClientCallBody, by: string): Promise<Applied>
}

export interface BudgetOperations {
  usage(query: UsageQuery): Promise<UsageReport>
  /** The budgets that apply to a spender, with the spent amounts. Of a per-subject budget (`*`): this spender's own. */
  budgets(spender?: Spender): Promise<readonly Budget[]>
  createBudget(body: BudgetBody, by: string): Promise<Budget>
  changeBudget(budgetId: BudgetId, limit: number, by: string): Promise<Budget>
  removeBudget(budgetId: BudgetId, by: string): Promise<void>
}

export interface ProcessOperations {
  /** Starts the session's process ahead of a message, if there is capacity. */
  wake(sessionId: SessionId): Promise<Applied>
  /** Keeps a spare process ready for a new session of this agent, if there is capacity. True when there is one. */
  warm(agentName: string): Promise<boolean>
  queue(): Promise<Queue>
  capabilities(sessionId: SessionId): Promise<Capabilities>
}

export interface AuditOperations {
  audit(after: number, limit: number): Promise<readonly AuditEntry[]>
  verifyAudit(): Promise<AuditVerdict>
}

export interface ReadOperations {
  snapshot(sessionId: SessionId): Promise<SessionSnapshot>
  list(query: ListSessionsQuery): Promise<SessionPage>
  events(sessionId: SessionId, after: number, limit: number): Promise<EventPage>
  history(sessionId: SessionId): Promise<History>
  approvals(sessionId?: SessionId): Promise<ApprovalList>
  questions(sessionId?: SessionId): Promise<QuestionList>
  inbox(): Promise<Inbox>
  /**
   * Everything after `after`, then live events, without a gap. Text in progress comes first, as a snapshot. Ends when the
   * signal aborts; throws `cursor.beyond-log` when `after` is beyond the log. A reader too slow for its bounded buffer is
   * served from the store again: it loses tokens, never events.
   */
  follow(sessionId: SessionId, after: number, signal: AbortSignal): AsyncIterable<StreamedEvent>
  /**
   * Like `follow`, but pushed: a live event is in the sink before `publish` returns, without a promise per reader and
   * event. Resolves when the signal aborts; rejects where `follow` throws.
   */
  feed(from: { sessionId: SessionId; after: number; signal: AbortSignal }, sink: EventSink): Promise<void>
}

/** The receiving end of one reader. Neither function throws. */
export interface EventSink {
  /**
   * Takes all events, at once and in order. False stops the push until `drained` resolves; events in between are read from
   * the log. Every reader gets the same array, so that work on it can be shared.
   */
  take(events: readonly StreamedEvent[]): boolean
  /** Resolves when the reader can take more, or is gone. */
  drained(): Promise<void>
}
