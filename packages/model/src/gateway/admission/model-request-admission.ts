// What a loop in this process asks before each request of its own to the provider, and what it tells back: the gateway's
// say for those who need no gateway.
import type { TokenCounts } from '@quarterdeck/protocol'
import type { Authorization, ModelGatewayOptions, ModelRequest, Retrying } from '../model-gateway.ts'
import type { ModelTraffic } from '../model-traffic.ts'

export type ModelRequestAdmissionOptions = Pick<
  ModelGatewayOptions,
  'authorize' | 'onBegun' | 'settle' | 'release' | 'onRetrying' | 'onKeyRefused' | 'logger' | 'newId'
> & { readonly traffic: ModelTraffic }

export type RequestEstimate = Omit<ModelRequest, 'sessionId' | 'requestId'>

export interface RequestUse {
  readonly apiMessageId: string
  readonly requestedModel: string
  readonly servedModel: string
  readonly tokens: TokenCounts
}

export type RequestRefusal = Omit<Extract<Authorization, { type: 'refuse' }>, 'retryAfterSeconds'>

/** Ends with exactly one of `settle` and `release`; what is said after that is ignored, loudly. */
export interface RequestTicket {
  readonly type: 'go'
  begun(use: RequestUse): void
  settle(use: RequestUse): Promise<void>
  release(): Promise<void>
  /** Resolves when the request may leave again, or when it is given up. */
  retrying(retry: Omit<Retrying, 'sessionId' | 'requestId'>): Promise<void>
  keyRefused(status: number): void
}

export interface SessionRequestAdmission {
  /** Rejects with the signal's reason when it aborts first, and when the session is closed. */
  admit(estimate: RequestEstimate, signal: AbortSignal): Promise<RequestTicket | RequestRefusal>
}

export interface ModelRequestAdmission {
  /** The same for as long as the session stays open; owners take turns when requests wait. */
  open(sessionId: string, owner: string): SessionRequestAdmission
  /** Who waits is sent away, and what is still open is booked as far as it came. */
  closeSession(sessionId: string): void
  /** Closes every session. Resolves when everything is booked. */
  close(): Promise<void>
}
