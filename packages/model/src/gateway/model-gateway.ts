// The options of the gateway. It asks and reports by `GatewayDecisions`, and decides nothing about money itself.
import type { GatewayDecisions, SessionId } from '@quarterdeck/protocol'
import type { ProviderLimits } from '../provider-limits.ts'
import type { PromptCacheMemory } from './rate/prompt-cache-memory.ts'
import type { RateShaper } from './rate/rate-shaper.ts'

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

export interface ModelGatewayOptions
  extends Partial<Omit<GatewayDecisions, 'settle'>>,
    Pick<GatewayDecisions, 'settle'> {
  readonly upstream: GatewayUpstream
  /** Shared by all sessions of this gateway, per model family. Without it requests wait only after a 429. */
  readonly rate?: ProviderLimits
  /** Shared with other senders to the same upstream with the same key. Its own `rate` and `onWaiting` then apply. */
  readonly traffic?: ModelTraffic
  /** Missing parts come from `retryPolicy`. */
  readonly retry?: Partial<RetryPolicy>
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
  openSession(sessionId: SessionId, options?: OpenSessionOptions): { readonly baseUrl: string; readonly token: string }
  /** Revokes the token and ends the session's running requests. */
  closeSession(sessionId: SessionId): void
  close(): Promise<void>
}
