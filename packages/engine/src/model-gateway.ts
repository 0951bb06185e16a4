// The port between the engine and whatever stands before the model. Implemented by the model package, wired by the
// server and the command line: the engine decides, the gateway obeys and reports.
import type { AgentDefinition, SessionId, TokenCounts } from '@quarterdeck/protocol'
import type { ModelAccess } from './backends/backend.ts'

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

/** The model side as the engine sees it: who gives a session its way to a model. */
export interface ModelGateway {
  /** Opens the way for one session of this agent, good until it is closed. Throws `config.missing-credential`. */
  openSession(sessionId: SessionId, agent: AgentDefinition): Promise<ModelAccess>
  /** Its token is refused from now on and its running requests are cut. Unknown sessions are fine. */
  closeSession(sessionId: SessionId): void
  /** Ends every request and frees the ports. */
  close(): Promise<void>
}

/** What the engine gives the gateway to call. */
export interface GatewayDecisions {
  /** Asked before each request that costs money. A rejection counts as a refusal: no answer, no request. */
  authorize(request: ModelRequest): Promise<ModelVerdict>
  /** Told once for each request that produced a message, before its answer ends; resolves when it is booked. */
  settle(use: ModelUse): Promise<void>
}
