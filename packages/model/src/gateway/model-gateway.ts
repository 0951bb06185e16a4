// What the gateway asks of whoever runs sessions, and what it tells back. It decides nothing about money itself.

import type { ProviderLimits } from '../provider-limits.ts'
import type { TokenUsage } from '../wire/anthropic/usage.ts'
import type { ModelTraffic } from './model-traffic.ts'

export interface GatewayUpstream {
  /** http or https, a path prefix allowed: `https://host/prefix`. */
  readonly baseUrl: string
  /** Sent as it is: `value` is the whole header, "Bearer …" included. Null where the upstream needs none. */
  readonly credential: { readonly header: 'x-api-key' | 'authorization' | 'api-key'; readonly value: string } | null
}

export interface RequestName {
  readonly sessionId: string
  readonly requestId: string
}

export type ModelRequest = RequestName & {
  readonly model: string
  /** Of the whole prompt, estimated from its text before anyone has counted it. */
  readonly inputTokens: number
  /** The part of `inputTokens` that the conversation's last request left in the provider's cache; 0 where unknown. */
  readonly cachedInputTokens: number
  /** The request's own bound, far above what is usual; 0 where it names none, which a provider refuses. */
  readonly maxOutputTokens: number
}

export type Authorization =
  | { readonly type: 'go' }
  | {
      readonly type: 'refuse'
      readonly status: number
      readonly errorType: string
      readonly message: string
      /** With it the client may try again by itself; without it the refusal is final. */
      readonly retryAfterSeconds?: number
    }

export type Settlement = RequestName & {
  /** The provider's message id: what a ledger books once by. */
  readonly messageId: string
  readonly requestedModel: string
  readonly servedModel: string
  readonly usage: TokenUsage
  /**
   * False when the stream broke, the client left, or the provider told no counts that can be: what is missing is then
   * estimated, the input from the request and the output from what came through.
   */
  readonly isComplete: boolean
}

/** `position` counts from 1 in the order in which requests will go; `waiting` is how many wait for the same models. */
export interface RateQueuePosition {
  readonly position: number
  readonly waiting: number
}

export type Waiting = RequestName & { readonly queuePosition: RateQueuePosition | null }

export type Retrying = RequestName & {
  /** Of the retry that follows, from 1. */
  readonly attempt: number
  readonly maxRetries: number
  /** From now until that retry leaves, or joins the line when the rate is used up. */
  readonly delayMs: number
  /** Null when there was no answer at all. */
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

/** What is done about an upstream that fails before a byte of its answer went to the client. */
export interface RetryPolicy {
  /** Retries after the first try; 0 passes the first failure on. */
  readonly maxRetries: number
  /** Doubles with each retry, with jitter; a `retry-after` of the provider comes first. */
  readonly firstDelayMs: number
  readonly longestDelayMs: number
  /** A provider that asks for more patience than this is not taken at its word: `longestDelayMs` is waited instead. */
  readonly longestRetryAfterMs: number
}

export interface ModelGatewayOptions {
  readonly upstream: GatewayUpstream
  /**
   * Asked once for each billable request, before it waits for its rate. May take long; `signal` aborts when the client
   * leaves or the session closes, and the promise must then settle. A rejection refuses: money fails closed.
   */
  readonly authorize?: (request: ModelRequest, signal: AbortSignal) => Promise<Authorization>
  /** A streamed answer has begun: its input is whole, its output is what the beginning says of it. */
  readonly onBegun?: (begun: Settlement) => void
  /** Called exactly once for each request that got a message, before the client sees the end of it. */
  readonly settle: (settlement: Settlement) => Promise<void>
  /** Called exactly once for each request that got 'go' and ended without a message: failed, or left by its client. */
  readonly release?: (request: RequestName) => Promise<void>
  /** Shared by all sessions of this gateway, per model family. Without it nothing waits, except after a 429. */
  readonly rate?: ProviderLimits
  /** Shared with others who reach the same upstream with the same key; `rate` and `onWaiting` are then those of it. */
  readonly traffic?: ModelTraffic
  /** When a request starts to wait for its rate, when its position changes, and with null when it goes or leaves. */
  readonly onWaiting?: (waiting: Waiting) => void
  /** Unsaid parts are those of `retryPolicy`. */
  readonly retry?: Partial<RetryPolicy>
  readonly onRetrying?: (retrying: Retrying) => void
  /** The provider answered 401 or 403: told once for each request it refused so, and none is retried. */
  readonly onKeyRefused?: (refused: KeyRefused) => void
  /** Token deltas that arrive within it are merged into one; 0, the default, leaves every byte as it came. */
  readonly mergeWindowMs?: number
  /**
   * How long a provider may say nothing in the middle of an answer, its pings included, before the answer is broken off
   * and the client tries again; 0, the default, waits for ever.
   */
  readonly silenceMs?: number
  /**
   * How long a provider may take until its answer begins, before the request is given up and tried again as after a
   * connection that timed out; 0, the default, waits for ever.
   */
  readonly headSilenceMs?: number
  readonly logger?: GatewayLogger
  readonly newId?: () => string
}

export interface OpenSessionOptions {
  /** Owners take turns when requests wait; a session without one is its own. */
  readonly owner?: string
  /** True where the client goes to a second model when the first is overloaded: it is then told of a 529 at once. */
  readonly hasFallbackModel?: boolean
}

export interface ModelGateway {
  /** Starts on a free loopback port. */
  listen(): Promise<{ url: string }>
  /** The same token for as long as the session stays open. Needs `listen` first. */
  openSession(sessionId: string, options?: OpenSessionOptions): { readonly baseUrl: string; readonly token: string }
  /** Revokes the token and ends the session's running requests. */
  closeSession(sessionId: string): void
  close(): Promise<void>
}
