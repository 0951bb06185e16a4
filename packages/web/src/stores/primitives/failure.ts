import { isQuarterdeckError, messageOf, QuarterdeckError } from '@quarterdeck/protocol'

/** Converts a thrown value to an error with a code. An unknown error is a bug and gets the code `internal`. */
export function failureOf(error: unknown): QuarterdeckError {
  if (isQuarterdeckError(error)) return error
  const message = messageOf(error)
  return new QuarterdeckError('internal', message, { cause: error })
}
