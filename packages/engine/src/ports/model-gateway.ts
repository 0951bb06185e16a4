// The port between the engine and whatever stands before the model. Implemented by the model package, wired by the
// server and the command line: the engine decides, the gateway obeys and reports.
import type { AgentDefinition, SessionId, TokenCounts } from '@quarterdeck/protocol'
import type { ModelAccess } from '../backends/backend.ts'

export interface RequestName {
  readonly sessionId: SessionId
  readonly requestId: string
}

export interface ModelRequest extends RequestName {
  readonly model: string
  /** Estimates, made before anybody has counted. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  /** The request's own bound, far above what is usual. */
  readonly maxOutputTokens: number
}

export type ModelVerdict =
  | { readonly type: 'go' }
  | { readonly type: 'refuse'; readonly status: number; readonly errorType: string; readonly message: string }

/** What one request used, reported once when its answer has ended. */
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
  /** Never in an event, a log or an error. */
  readonly apiKey: string
  readonly apiVersion: string | null
}

/** The model side as the engine sees it: who gives a session its way to a model. */
export interface ModelGateway {
  /**
   * Opens the way for one session of this agent, good until it is closed. Owners take turns when requests wait.
   * Throws `config.missing-credential`.
   */
  openSession(sessionId: SessionId, agent: AgentDefinition, owner: string): Promise<ModelAccess>
  /** Where an agent's texts become vectors; never asked for the local embedder. Throws `config.missing-credential`. */
  embeddings(agent: AgentDefinition): Promise<EmbeddingAccess>
  /** Its token is refused from now on and its running requests are cut. Unknown sessions are fine. */
  closeSession(sessionId: SessionId): void
  /** Ends every request and frees the ports. */
  close(): Promise<void>
}

/** What the engine gives the gateway to call. */
export interface GatewayDecisions {
  /**
   * Asked before each request that costs money; may wait for others to settle. Aborted when the client leaves. A
   * rejection counts as a refusal: no answer, no request.
   */
  authorize(request: ModelRequest, signal: AbortSignal): Promise<ModelVerdict>
  /** A request's answer has begun: what it told of itself so far. From now on it costs money. */
  onBegun(use: ModelUse): void
  /** Told once for each request that produced a message, before its answer ends; resolves when it is booked. */
  settle(use: ModelUse): Promise<void>
  /** Told once for each request that was let go and ended without a message. */
  release(request: RequestName): Promise<void>
  /** A request waits for the provider's rate; `null` when it goes or leaves. */
  onWaiting(request: RequestName, queuePosition: { readonly position: number; readonly waiting: number } | null): void
  onRetrying(retry: ModelRetry): void
  /** The provider refuses the key: the turn ends at once. */
  onKeyRefused(refused: { readonly sessionId: SessionId; readonly status: number }): void
}
