// The engine's interface for everything that works with sessions: the server, the command line, tests.
import {
  type Applied,
  type BudgetList,
  type ChangeSessionBody,
  CreateSessionBody,
  ForkSessionBody,
  type Implementations,
  type ParsingMethods,
  type SessionId,
  type StreamedEvent,
  sessionServiceOperations,
  type WarmedAgent,
} from '@quarterdeck/protocol'
import { z } from 'zod'
import type { Spender } from '../store/ports/money-store.ts'

/** The caller by default. */
const owner = z.string().optional()

/** The operations of the table, with the additions of wires. They can only narrow what the agent file allows. */
export const inProcessOperations = {
  ...sessionServiceOperations,
  createSession: {
    ...sessionServiceOperations.createSession,
    body: CreateSessionBody.safeExtend({
      owner,
      /** Appended to the instructions of the agent file for the whole life of the session. */
      instructions: z.string().optional(),
      /** Allows only these of the agent's and the client's tools, by the model's names or their bare MCP names. */
      allowedTools: z.array(z.string()).readonly().optional(),
      /** Whether the model must be in the catalog. */
      isCatalogOnly: z.boolean().optional(),
    }),
  },
  fork: { ...sessionServiceOperations.fork, body: ForkSessionBody.safeExtend({ owner }) },
}

export type NewSession = z.input<typeof inProcessOperations.createSession.body>

export type SessionChange = z.output<typeof ChangeSessionBody> & {
  /** True for callers that may neither raise a limit above the agent file's nor choose a model outside the catalog. */
  readonly isWithinFile?: boolean | undefined
}

/** `SessionMethods` declares the others: they take other arguments than those of the table. */
type TableOperations = Omit<typeof inProcessOperations, keyof SessionMethods>

/** For callers in the process. Each operation parses its input; see `withParsedInput`. */
export interface SessionService extends ParsingMethods<TableOperations>, SessionMethods {}

/** The implementations. Their input is parsed. Expected failures are thrown as `QuarterdeckError`. */
export interface SessionOperations extends Implementations<TableOperations>, SessionMethods {
  changeSession(sessionId: SessionId, body: SessionChange, by: string): Promise<Applied>
}

export interface SessionMethods {
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
