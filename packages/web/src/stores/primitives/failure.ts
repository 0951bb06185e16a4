import { isQuarterdeckError, QuarterdeckError } from '@quarterdeck/protocol'

/** Converts a thrown value to an error with a code. An unknown error is a bug and gets the code `internal`. */
export function failureOf(error: unknown): QuarterdeckError {
  if (isQuarterdeckError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new QuarterdeckError('internal', message, { cause: error })
}
