// The engine's door for everything that wants to talk to sessions: the server, the command line, tests.
import type {
  AgentDefinition,
  AgentSummary,
  Applied,
  ApprovalDecision,
  ApprovalId,
  ApprovalList,
  CatalogModel,
  CreateSessionBody,
  EventPage,
  JsonObject,
  ListSessionsQuery,
  MessageAccepted,
  SessionId,
  SessionPage,
  SessionSnapshot,
  StreamedEvent,
} from '@quarterdeck/protocol'

export interface Decision {
  readonly decision: ApprovalDecision
  readonly input?: JsonObject | undefined
  readonly note?: string | undefined
}

export interface NewMessage {
  readonly content: string
  /** What the message's id is made from. The same seed again is the same message: it is not queued twice. */
  readonly seed?: string | undefined
}

/** `by` is the name of who asks; it ends up in the log. Expected failures are thrown as `QuarterdeckError`. */
export interface SessionService {
  /** The same seed again is the same session: a retry after a crash finds what the first try made. */
  create(body: CreateSessionBody, by: string, seed?: string): Promise<Applied>
  /** Committed when this resolves; handed to the agent when its turn comes. */
  send(sessionId: SessionId, message: NewMessage, by: string): Promise<MessageAccepted>
  /** Asks the running turn to end; the log says when it has. */
  interrupt(sessionId: SessionId, by: string): Promise<Applied>
  /** Stops whatever runs and closes the session for good; the log says when it has. */
  cancel(sessionId: SessionId, by: string): Promise<Applied>
  /** Closes a resting session as completed and ends its process. */
  close(sessionId: SessionId, by: string): Promise<Applied>
  /** From the next model request on; the conversation is kept. */
  changeModel(sessionId: SessionId, model: string, by: string): Promise<Applied>
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
}

/** The agents that can be started by name. Implemented by the config room. */
export interface AgentShelf {
  /** Every agent file found, broken ones included with what is wrong with them. */
  list(): Promise<readonly AgentSummary[]>
  /** Reads the file again when it has changed. Throws `agent.not-found` or `config.*`. */
  load(name: string): Promise<AgentDefinition>
  /** The model catalog with the prices this agent's config files give; the plain one for an agent that is gone. */
  catalog(name: string): Promise<readonly CatalogModel[]>
}
