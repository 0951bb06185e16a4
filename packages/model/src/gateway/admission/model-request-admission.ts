// Admission of model requests that a loop in this process sends by itself: the same budget and rate decisions as in the
// gateway, and the same reports.
import type { TokenCounts } from '@quarterdeck/protocol'
import type { Authorization, ModelGatewayOptions, ModelRequest, ModelTraffic, Retrying } from '../model-gateway.ts'

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

/** Ends with exactly one of `settle` and `release`. Later calls are ignored and logged. */
export interface RequestTicket {
  readonly type: 'go'
  begun(use: RequestUse): void
  settle(use: RequestUse): Promise<void>
  release(): Promise<void>
  /** Resolves when the request may be sent again, or when the caller gives it up. */
  retrying(retry: Omit<Retrying, 'sessionId' | 'requestId'>): Promise<void>
  keyRefused(status: number): void
}

export interface SessionRequestAdmission {
  /** Rejects with the signal's reason if it aborts first, and if the session is closed. */
  admit(estimate: RequestEstimate, signal: AbortSignal): Promise<RequestTicket | RequestRefusal>
}

export interface ModelRequestAdmission {
  /** Returns the same object while the session is open. Owners take turns when requests wait. */
  open(sessionId: string, owner: string): SessionRequestAdmission
  /** Rejects waiting requests and books the open ones as far as they came. */
  closeSession(sessionId: string): void
  /** Closes every session. Resolves when everything is booked. */
  close(): Promise<void>
}
