// The port between the engine and the model gateway. The model package implements it; the server and the command line
// connect it. The engine decides, the gateway obeys and reports.
import type { AgentDefinition, SessionId, TokenCounts } from '@quarterdeck/protocol'
import type { ModelAccess } from './model-access.ts'

export interface RequestName {
  readonly sessionId: SessionId
  readonly requestId: string
}

export interface ModelRequest extends RequestName {
  readonly model: string
  /** Estimates, made before the provider has counted. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  /** The request's own bound, far above the usual output. */
  readonly maxOutputTokens: number
}

export type ModelVerdict =
  | { readonly type: 'go' }
  | { readonly type: 'refuse'; readonly status: number; readonly errorType: string; readonly message: string }

/** The usage of one request, reported once when its answer has ended. */
export interface ModelUse extends RequestName {
  readonly apiMessageId: string
  readonly requestedModel: string
  readonly servedModel: string
  readonly tokens: TokenCounts
}

export interface ModelRetry extends RequestName {
  readonly attempt: number
  readonly maxRetries: number
  readonly delayMs: number
  readonly status: number | null
  readonly error: string
}

export interface EmbeddingAccess {
  readonly wire: 'openai' | 'azure_openai'
  readonly baseUrl: string
  /** Never put it in an event, a log or an error. */
  readonly apiKey: string
  readonly apiVersion: string | null
}

/** The model gateway as the engine sees it: gives each session its access to a model. */
export interface ModelGateway {
  /**
   * Opens the access for one session of this agent, valid until `closeSession`. Queued requests of different owners
   * alternate. Throws `config.missing-credential`.
   */
  openSession(sessionId: SessionId, agent: AgentDefinition, owner: string): Promise<ModelAccess>
  /** The access to an agent's embedding provider, unless it is the local one. Throws `config.missing-credential`. */
  embeddings(agent: AgentDefinition): Promise<EmbeddingAccess>
  /** Refuses the session's token from now on and cuts its running requests. Ignores unknown sessions. */
  closeSession(sessionId: SessionId): void
  /** Ends every request and closes the ports. */
  close(): Promise<void>
}

/** The engine's functions that the gateway calls. */
export interface GatewayDecisions {
  /**
   * Called before each request that costs money. May wait for other requests to settle. The signal aborts when the
   * client leaves. A rejection counts as a refusal.
   */
  authorize(request: ModelRequest, signal: AbortSignal): Promise<ModelVerdict>
  /** A request's answer has begun: its usage so far. It costs money from now on. */
  onBegun(use: ModelUse): void
  /** Called once per request that produced a message, before its answer ends. Resolves when the usage is booked. */
  settle(use: ModelUse): Promise<void>
  /** Called once for each authorized request that ended without a message. */
  release(request: RequestName): Promise<void>
  /** A request waits for the provider's rate limit; `null` when it proceeds or gives up. */
  onWaiting(request: RequestName, queuePosition: { readonly position: number; readonly waiting: number } | null): void
  onRetrying(retry: ModelRetry): void
  /** The provider refuses the key: the turn ends at once. */
  onKeyRefused(refused: { readonly sessionId: SessionId; readonly status: number }): void
}
