import type { ExecutionResult } from '@quarterdeck/protocol'

/** The base of every error a backend throws. `result` holds what the turn had produced before it failed. */
export class BackendError extends Error {
  override readonly name: string = 'BackendError'
  readonly result: ExecutionResult | null

  constructor(message: string, options: { result?: ExecutionResult; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.result = options.result ?? null
  }
}

/** Thrown by `initialize` when the backend cannot start on this machine. */
export class BackendInitError extends BackendError {
  override readonly name = 'BackendInitError'
}

/** The process died, or the session was used in a state that does not allow it. */
export class BackendSessionError extends BackendError {
  override readonly name = 'BackendSessionError'
}

export class BackendTimeoutError extends BackendError {
  override readonly name = 'BackendTimeoutError'
}

/** A turn was refused before it started because the session's budget is spent. */
export class BackendBudgetError extends BackendError {
  override readonly name = 'BackendBudgetError'
}
