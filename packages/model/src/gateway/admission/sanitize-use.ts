// Cleans the usage that a loop reports. Impossible counts would delay every request with the same rate limit, and an
// answer without an id could not be booked, so missing values are estimated.
import { type ModelRequest, type RequestUse, sanitizeTokens, type TokenCounts } from '@quarterdeck/protocol'

/** In characters. */
const longestName = 256

export function sanitizeUse(reported: RequestUse, request: ModelRequest, begun: RequestUse | null): RequestUse {
  const { apiMessageId, requestedModel, servedModel, tokens } = reported
  const guess: Partial<TokenCounts> = begun?.tokens ?? { input: request.inputTokens }
  return {
    apiMessageId: isName(apiMessageId) ? apiMessageId : `unnamed-${request.requestId}`,
    requestedModel,
    servedModel: isName(servedModel) ? servedModel : requestedModel,
    tokens: sanitizeTokens(tokens, guess),
  }
}

/** Providers may send any type; the report is passed on as it came. */
const isName = (reported: unknown): boolean =>
  typeof reported === 'string' && reported !== '' && reported.length <= longestName
