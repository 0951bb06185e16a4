// Admission of model requests that a loop in this process sends by itself: the same budget and rate decisions as in the
// gateway, and the same reports.
import type { RequestAdmission, SessionId } from '@quarterdeck/protocol'
import type { ModelGatewayOptions, ModelTraffic } from '../model-gateway.ts'

export type ModelRequestAdmissionOptions = Pick<
  ModelGatewayOptions,
  'authorize' | 'onBegun' | 'settle' | 'release' | 'onRetrying' | 'onKeyRefused' | 'logger' | 'newId'
> & { readonly traffic: ModelTraffic }

export interface ModelRequestAdmission {
  /** Returns the same object while the session is open. Owners take turns when requests wait. */
  open(sessionId: SessionId, owner: string): RequestAdmission
  /** Rejects waiting requests and books the open ones as far as they came. */
  closeSession(sessionId: SessionId): void
  /** Closes every session. Resolves when everything is booked. */
  close(): Promise<void>
}
