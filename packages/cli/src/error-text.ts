import { isQuarterdeckError, visibleText } from '@quarterdeck/protocol'

/** What a person reads of an error: a sentence for an expected one, where it happened for a bug. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return visibleText(String(error))
  return visibleText(isQuarterdeckError(error) ? error.message : (error.stack ?? error.message))
}
