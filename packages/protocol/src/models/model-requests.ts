// The contract between the engine and its model connections: the engine decides about money, the connections ask and
// report.
import type { SessionId } from '../values/ids.ts'
import type { TokenCounts } from './token-counts.ts'

export interface RequestName {
  readonly sessionId: SessionId
  readonly requestId: string
}

export interface RequestEstimate {
  readonly model: string
  /** Of the whole prompt, estimated from its text before the provider has counted it. */
  readonly inputTokens: number
  /** The part of `inputTokens` that the conversation's last request left in the provider's cache; 0 if unknown. */
  readonly cachedInputTokens: number
  /** The request's own bound, usually far too high; 0 without one, which a provider refuses. */
  readonly maxOutputTokens: number
}

export interface ModelRequest extends RequestName, RequestEstimate {}

export interface RequestRefusal {
  readonly type: 'refuse'
  readonly status: number
  readonly errorType: string
  readonly message: string
  /** If set, the client may retry by itself; otherwise the refusal is final. */
  readonly retryAfterSeconds?: number
}

export type ModelVerdict = { readonly type: 'go' } | RequestRefusal

/** The tokens of one answer and the model that gave it. */
export interface RequestUse {
  /** The provider's message id: a ledger books it once. */
  readonly apiMessageId: string
  readonly requestedModel: string
  readonly servedModel: string
  /** Counts that the provider did not report are estimates. */
  readonly tokens: TokenCounts
}

export interface ModelUse extends RequestName, RequestUse {}

export interface RequestRetry {
  /** The number of the next retry, from 1. */
  readonly attempt: number
  readonly maxRetries: number
  /** Until the retry is sent, or queued when the rate is used up. */
  readonly delayMs: number
  /** Null without any answer. */
  readonly status: number | null
  /** The provider's error type, or the code of the broken connection. */
  readonly error: string
}

export interface ModelRetry extends RequestName, RequestRetry {}

/**
 * `position` counts from 1 in the order in which requests will be sent; `waiting` is the number of requests for the
 * same models.
 */
export interface RateQueuePosition {
  readonly position: number
  readonly waiting: number
}

export interface KeyRefused {
  readonly sessionId: SessionId
  readonly status: number
}

/** The engine's functions that the model connections call. */
export interface GatewayDecisions {
  /**
   * Called once for each request that costs money, before it waits for its rate. May wait for other requests to settle;
   * `signal` aborts when the client leaves or the session closes. A rejection refuses the request: money fails closed.
   */
  authorize(request: ModelRequest, signal: AbortSignal): Promise<ModelVerdict>
  /** A streamed answer has begun and costs money from now on: its input is complete, its output is not. */
  onBegun(use: ModelUse): void
  /** Called once for each request that got a message, before its answer ends. Resolves when the usage is booked. */
  settle(use: ModelUse): Promise<void>
  /** Called once for each authorized request that ended without a message. */
  release(request: RequestName): Promise<void>
  /** A request waits for the provider's rate limit, or its position changed; `null` when it is sent or given up. */
  onWaiting(request: RequestName, queuePosition: RateQueuePosition | null): void
  onRetrying(retry: ModelRetry): void
  /** The provider refuses the key: called once for each request, which is not retried. The turn ends at once. */
  onKeyRefused(refused: KeyRefused): void
}

/**
 * Budget, rate limit and bookkeeping of the model requests that a session sends from this process. The gateway does the
 * same for a session with a process of its own.
 */
export interface RequestAdmission {
  /**
   * Waits for the budget and the provider's rate limit. Rejects with the signal's reason if it aborts first, and if the
   * session is closed. The same signal governs the ticket.
   */
  admit(request: RequestEstimate, signal: AbortSignal): Promise<RequestTicket | RequestRefusal>
}

/** Ends with exactly one call of `settle` or `release`. Later calls are ignored and logged. */
export interface RequestTicket {
  readonly type: 'go'
  /** The answer has begun and costs money from now on. */
  begun(use: RequestUse): void
  /** Resolves when the use is booked. The answer must not end before that. */
  settle(use: RequestUse): Promise<void>
  /** The request ended without an answer. */
  release(): Promise<void>
  /**
   * Announces a retry. Resolves after `delayMs`, later if the provider's rate limit delays everyone, and at once when the
   * signal passed to `admit` aborts.
   */
  retrying(retry: RequestRetry): Promise<void>
  /** The provider refused the key: the turn is about to end. */
  keyRefused(status: number): void
}
