// The engine's interface for everything that works with sessions: the server, the command line, tests.
import type {
  Applied,
  BudgetList,
  ChangeSessionBody,
  CreateSessionBody,
  ForkSessionBody,
  Implementations,
  SessionId,
  StreamedEvent,
  sessionServiceOperations,
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
 * Implements the operations of the table, with the arguments described at `Implementation`. Expected failures are thrown
 * as `QuarterdeckError`.
 */
export interface SessionService extends Implementations<typeof sessionServiceOperations> {
  createSession(body: NewSession, by: string, seed?: string): Promise<Applied>
  changeSession(sessionId: SessionId, body: SessionChange, by: string): Promise<Applied>
  fork(sessionId: SessionId, body: NewFork, by: string, seed?: string): Promise<Applied>
  /** Nothing is logged under the name of the caller. */
  wake(sessionId: SessionId): Promise<Applied>
  warmAgent(name: string): Promise<WarmedAgent>
  /** The budgets that apply to a spender, with its own spending; all by default. */
  listBudgets(spender?: Spender): Promise<BudgetList>
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
