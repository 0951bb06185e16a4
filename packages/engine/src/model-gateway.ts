// The port between the engine and whatever stands before the model. Implemented by the model package, wired by the
// server and the command line: the engine decides, the gateway obeys and reports.
import type { SessionId, TokenCounts } from '@quarterdeck/protocol'

export interface ModelRequest {
  readonly sessionId: SessionId
  readonly requestId: string
  readonly model: string
}

export type ModelVerdict =
  | { readonly type: 'go' }
  | { readonly type: 'refuse'; readonly status: number; readonly errorType: string; readonly message: string }

/** What one request used, reported once when its answer has ended. */
export interface ModelUse {
  readonly sessionId: SessionId
  readonly requestId: string
  readonly apiMessageId: string
  readonly requestedModel: string
  readonly servedModel: string
  readonly tokens: TokenCounts
}

export interface ModelGateway {
  /** A token for one session, good until it is closed. */
  openSession(sessionId: SessionId): { readonly baseUrl: string; readonly token: string }
  closeSession(sessionId: SessionId): void
}

/** What the engine gives the gateway to call. */
export interface GatewayDecisions {
  authorize(request: ModelRequest): Promise<ModelVerdict>
  settle(use: ModelUse): Promise<void>
}
