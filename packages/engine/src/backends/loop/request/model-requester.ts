import type { RequestAdmission } from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import type { ModelWire, WireAnswer } from '../wire/model-wire.ts'
import type { LoopRetryPolicy } from './loop-retry-policy.ts'

export interface ModelRequester {
  readonly wire: ModelWire
  /** `null` if the gateway does the booking. */
  readonly requests: RequestAdmission | null
  readonly retryPolicy: LoopRetryPolicy
  readonly random: () => number
  /** Named in the error when the provider refuses the key. */
  readonly keyVariable: string
  /** Used when the model is overloaded; `null` for none. */
  readonly fallbackModel: string | null
}

/** The parts of a request that the turn observes. */
export interface RequestListener {
  /** `null` if there is capacity for more; otherwise a promise to wait for. */
  emit(event: BackendEvent): Promise<void> | null
  readonly signal: AbortSignal
}

export interface ModelAnswer extends WireAnswer {
  readonly messageId: string
  /** The model that was requested in the end. */
  readonly model: string
  readonly servedModel: string
}
