import { isQuarterdeckError, QuarterdeckError } from '@quarterdeck/protocol'

/** Whatever was thrown, as an error with a code: what is not ours is a bug, and says so. */
export function failureOf(error: unknown): QuarterdeckError {
  if (isQuarterdeckError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new QuarterdeckError('internal', message, { cause: error })
}
