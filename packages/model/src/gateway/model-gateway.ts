// What the gateway asks of whoever runs sessions, and what it tells back. It decides nothing itself.
import type { TokenUsage } from '../wire/anthropic/usage.ts'

export type GatewayUpstream = {
  /** http or https, a path prefix allowed: `https://host/prefix`. */
  readonly baseUrl: string
  /** Sent as it is: `value` is the whole header, "Bearer …" included. Null where the upstream needs none. */
  readonly credential: { readonly header: 'x-api-key' | 'authorization'; readonly value: string } | null
}

export type ModelRequest = { readonly sessionId: string; readonly requestId: string; readonly model: string }

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

export type Settlement = {
  readonly sessionId: string
  readonly requestId: string
  /** The provider's message id: what a ledger books once by. */
  readonly messageId: string
  readonly requestedModel: string
  readonly servedModel: string
  readonly usage: TokenUsage
  /** False when the stream broke or the client left: output tokens are then estimated from what came through. */
  readonly isComplete: boolean
}

export type GatewayLogger = {
  warn(facts: Readonly<Record<string, unknown>>, message: string): void
}

export type ModelGatewayOptions = {
  readonly upstream: GatewayUpstream
  /** Asked before each billable request. A rejection refuses the request: money fails closed. */
  readonly authorize?: (request: ModelRequest) => Promise<Authorization>
  /** Called exactly once for each request that got a message, before the client sees the end of it. */
  readonly settle: (settlement: Settlement) => Promise<void>
  readonly logger?: GatewayLogger
  readonly newId?: () => string
}

export type ModelGateway = {
  /** Starts on a free loopback port. */
  listen(): Promise<{ url: string }>
  /** The same token for as long as the session stays open. Needs `listen` first. */
  openSession(sessionId: string): { readonly baseUrl: string; readonly token: string }
  /** Revokes the token and ends the session's running requests. */
  closeSession(sessionId: string): void
  close(): Promise<void>
}
