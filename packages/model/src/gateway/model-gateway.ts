// The port between the gateway and the owner of sessions: the decisions that it asks for and the reports that it gives.
// The gateway decides nothing about money itself.

import type { TokenUsage } from '@quarterdeck/protocol'
import type { ProviderLimits } from '../provider-limits.ts'
import type { PromptCacheMemory } from './rate/prompt-cache-memory.ts'
import type { RateShaper } from './rate/rate-shaper.ts'
import type { RequestName, Waiting } from './rate-queue.ts'

export interface ModelTraffic {
  readonly shaper: RateShaper
  readonly promptCache: PromptCacheMemory
}

export interface GatewayUpstream {
  /** http or https, a path prefix allowed: `https://host/prefix`. */
  readonly baseUrl: string
  /** Sent unchanged: `value` is the whole header, "Bearer …" included. Null if the upstream needs none. */
  readonly credential: { readonly header: 'x-api-key' | 'authorization' | 'api-key'; readonly value: string } | null
}

export type ModelRequest = RequestName & {
  readonly model: string
  /** Of the whole prompt, estimated from its text before the provider has counted it. */
  readonly inputTokens: number
  /** The part of `inputTokens` that the conversation's last request left in the provider's cache; 0 if unknown. */
  readonly cachedInputTokens: number
  /** The request's own bound, usually far too high; 0 without one, which a provider refuses. */
  readonly maxOutputTokens: number
}

export type Authorization =
  | { readonly type: 'go' }
  | {
      readonly type: 'refuse'
      readonly status: number
      readonly errorType: string
      readonly message: string
      /** If set, the client may retry by itself; otherwise the refusal is final. */
      readonly retryAfterSeconds?: number
    }

export type Settlement = RequestName & {
  /** The provider's message id: a ledger books it once. */
  readonly messageId: string
  readonly requestedModel: string
  readonly servedModel: string
  readonly usage: TokenUsage
  /**
   * False when the stream broke, the client left, or the provider sent no valid counts. Missing counts are then
   * estimated: the input from the request and the output from the received text.
   */
  readonly isComplete: boolean
}

export type Retrying = RequestName & {
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

export interface KeyRefused {
  readonly sessionId: string
  readonly status: number
}

export interface GatewayLogger {
  warn(facts: Readonly<Record<string, unknown>>, message: string): void
}

/** How often and when a request is retried that failed before the client got a byte. */
export interface RetryPolicy {
  /** Retries after the first attempt; 0 forwards the first failure. */
  readonly maxRetries: number
  /** Doubles with each retry, with jitter; a `retry-after` of the provider takes precedence. */
  readonly firstDelayMs: number
  readonly longestDelayMs: number
  /** If the provider asks for a longer delay, `longestDelayMs` is used instead. */
  readonly longestRetryAfterMs: number
}

export interface ModelGatewayOptions {
  readonly upstream: GatewayUpstream
  /**
   * Called once for each billable request, before it waits for its rate. May take long; `signal` aborts when the client
   * leaves or the session closes, and the promise must then settle. A rejection refuses the request: money fails
   * closed.
   */
  readonly authorize?: (request: ModelRequest, signal: AbortSignal) => Promise<Authorization>
  /** A streamed answer has begun: its input is complete, its output is the count at the beginning. */
  readonly onBegun?: (begun: Settlement) => void
  /** Called exactly once for each request that got a message, before the client sees its end. */
  readonly settle: (settlement: Settlement) => Promise<void>
  /** Called exactly once for each request that got 'go' and ended without a message: it failed, or its client left. */
  readonly release?: (request: RequestName) => Promise<void>
  /** Shared by all sessions of this gateway, per model family. Without it requests wait only after a 429. */
  readonly rate?: ProviderLimits
  /** Shared with other senders to the same upstream with the same key. Its own `rate` and `onWaiting` then apply. */
  readonly traffic?: ModelTraffic
  /**
   * Called when a request starts to wait for its rate, when its position changes, and with null when it is sent or
   * given up.
   */
  readonly onWaiting?: (waiting: Waiting) => void
  /** Missing parts come from `retryPolicy`. */
  readonly retry?: Partial<RetryPolicy>
  readonly onRetrying?: (retrying: Retrying) => void
  /** The provider answered 401 or 403: called once for each request, and none is retried. */
  readonly onKeyRefused?: (refused: KeyRefused) => void
  /** Token deltas within this time are merged into one; 0, the default, leaves every byte unchanged. */
  readonly mergeWindowMs?: number
  /**
   * How long a provider may be silent in the middle of an answer, pings included, before the answer is ended and the
   * client retries; 0, the default, for no limit.
   */
  readonly silenceMs?: number
  /**
   * How long a provider may take to start its answer, before the request is retried as after a connection timeout; 0,
   * the default, for no limit.
   */
  readonly headSilenceMs?: number
  readonly logger?: GatewayLogger
  readonly newId?: () => string
}

export interface OpenSessionOptions {
  /** Owners take turns when requests wait; a session without an owner counts as one. */
  readonly owner?: string
  /** True if the client uses a second model when the first is overloaded: it then gets a 529 at once. */
  readonly hasFallbackModel?: boolean
}

export interface ModelGateway {
  /** Starts on a free loopback port. */
  listen(): Promise<{ url: string }>
  /** The same token while the session is open. Call `listen` first. */
  openSession(sessionId: string, options?: OpenSessionOptions): { readonly baseUrl: string; readonly token: string }
  /** Revokes the token and ends the session's running requests. */
  closeSession(sessionId: string): void
  close(): Promise<void>
}
