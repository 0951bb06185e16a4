// The engine's interface for everything that works with sessions: the server, the command line, tests.
import type {
  AnswerQuestionBody,
  Applied,
  ApprovalId,
  ApprovalList,
  AuditPage,
  AuditQuery,
  AuditVerdict,
  Budget,
  BudgetBody,
  BudgetId,
  BudgetList,
  Capabilities,
  ChangeBudgetBody,
  ChangeSessionBody,
  ClientCallId,
  ClientCallList,
  ClientDeclaration,
  CreateSessionBody,
  DecideApprovalBody,
  EditMessageBody,
  EventPage,
  EventsQuery,
  ForkSessionBody,
  History,
  Inbox,
  ListApprovalsQuery,
  ListQuestionsQuery,
  ListSessionsQuery,
  MessageAccepted,
  MessageList,
  PermissionRule,
  PromoteMessageBody,
  QuestionId,
  QuestionList,
  Queue,
  RemovedBudget,
  ReturnClientCallBody,
  RewindReport,
  RewindSessionBody,
  SendMessageBody,
  SendSubagentMessageBody,
  SessionId,
  SessionPage,
  SessionSnapshot,
  StreamedEvent,
  UsageQuery,
  UsageReport,
  UserMessageId,
  WarmedAgent,
} from '@quarterdeck/protocol'
import type { Spender } from '../store/ports/money-store.ts'

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
}

export type SessionChange = ChangeSessionBody & {
  /** True for callers that may neither raise a limit above the agent file's nor choose a model outside the catalog. */
  readonly isWithinFile?: boolean | undefined
}

/**
 * Arguments are the ids of the address, then the body or query. Changes get `by`, the name of the caller for the log, and
 * `seed` where they make something new: the same seed again makes the same thing, once. Expected failures are thrown as
 * `QuarterdeckError`.
 */
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
  /** A retry after a crash finds the session of the first attempt by its seed. */
  createSession(body: NewSession, by: string, seed?: string): Promise<Applied>
}

export interface MessageOperations {
  /** The message is committed when this resolves. The agent gets it in its turn. */
  sendMessage(sessionId: SessionId, message: SendMessageBody, by: string, seed?: string): Promise<MessageAccepted>
  /** The queued messages, the next one first. */
  listMessages(sessionId: SessionId): Promise<MessageList>
  editMessage(sessionId: SessionId, messageId: UserMessageId, body: EditMessageBody, by: string): Promise<Applied>
  cancelMessage(sessionId: SessionId, messageId: UserMessageId, by: string): Promise<Applied>
  /** Moves it to the front. An immediate one is offered to the running turn, and stays first if there is none. */
  promoteMessage(
    sessionId: SessionId,
    messageId: UserMessageId,
    body: PromoteMessageBody | undefined,
    by: string,
  ): Promise<Applied>
  messageSubagent(
    sessionId: SessionId,
    agentId: string,
    body: SendSubagentMessageBody,
    by: string,
    seed?: string,
  ): Promise<Applied>
}

export interface SettingOperations {
  /** Model, mode and thinking apply from the next model request on. The conversation is kept. */
  changeSession(sessionId: SessionId, body: SessionChange, by: string): Promise<Applied>
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
  fork(sessionId: SessionId, fork: NewFork, by: string, seed?: string): Promise<Applied>
  rewind(sessionId: SessionId, body: RewindSessionBody, by: string): Promise<RewindReport>
  deleteSession(sessionId: SessionId, by: string): Promise<Applied>
}

export interface AskOperations {
  /** The first decision wins. A waiting process gets it at once; otherwise the agent is woken with it. */
  decideApproval(approvalId: ApprovalId, decision: DecideApprovalBody, by: string): Promise<Applied>
  answerQuestion(questionId: QuestionId, body: AnswerQuestionBody, by: string): Promise<Applied>
  revokeRule(sessionId: SessionId, rule: PermissionRule, by: string): Promise<Applied>
}

export interface ClientOperations {
  attachClient(sessionId: SessionId, client: ClientDeclaration, by: string): Promise<Applied>
  detachClient(sessionId: SessionId, clientId: string, by: string): Promise<Applied>
  listClientCalls(sessionId: SessionId): Promise<ClientCallList>
  /** The first result counts. A second one is refused with the name of the client that gave the first. */
  returnClientCall(callId: ClientCallId, body: ReturnClientCallBody, by: string): Promise<Applied>
}

export interface BudgetOperations {
  usage(query: UsageQuery): Promise<UsageReport>
  /** The budgets that apply to a spender, with the spent amounts. Of a per-subject budget (`*`): this spender's own. */
  listBudgets(spender?: Spender): Promise<BudgetList>
  createBudget(body: BudgetBody, by: string): Promise<Budget>
  changeBudget(budgetId: BudgetId, body: ChangeBudgetBody, by: string): Promise<Budget>
  removeBudget(budgetId: BudgetId, by: string): Promise<RemovedBudget>
}

export interface ProcessOperations {
  /** Starts the session's process ahead of a message, if there is capacity. */
  wake(sessionId: SessionId): Promise<Applied>
  /** Keeps a spare process ready for a new session of this agent, if there is capacity. */
  warmAgent(name: string): Promise<WarmedAgent>
  queue(): Promise<Queue>
  capabilities(sessionId: SessionId): Promise<Capabilities>
}

export interface AuditOperations {
  readAudit(query: AuditQuery): Promise<AuditPage>
  verifyAudit(): Promise<AuditVerdict>
}

export interface ReadOperations {
  getSession(sessionId: SessionId): Promise<SessionSnapshot>
  listSessions(query: ListSessionsQuery): Promise<SessionPage>
  readEvents(sessionId: SessionId, query: EventsQuery): Promise<EventPage>
  history(sessionId: SessionId): Promise<History>
  listApprovals(query: ListApprovalsQuery): Promise<ApprovalList>
  listQuestions(query: ListQuestionsQuery): Promise<QuestionList>
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
