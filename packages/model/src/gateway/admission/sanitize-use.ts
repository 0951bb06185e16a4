// What a loop tells of an answer, as far as it can be. Counts that cannot be would hold back everybody who waits for the
// same rate, and an answer without a name could not be booked: what is missing is guessed.
import { sanitizeTokens, type TokenCounts } from '@quarterdeck/protocol'
import type { TokenUsage } from '../../wire/anthropic/usage.ts'
import type { Metered } from '../metering/response-meter.ts'
import type { ModelRequest } from '../model-gateway.ts'
import type { RequestUse } from './model-request-admission.ts'

/** Letters. */
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

/** A provider that keeps to no types is told of as it came. */
const isName = (reported: unknown): boolean =>
  typeof reported === 'string' && reported !== '' && reported.length <= longestName

export function meteredOf({ apiMessageId, servedModel, tokens }: RequestUse): Metered {
  const usage: TokenUsage = {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadInputTokens: tokens.cacheRead,
    cacheCreationInputTokens: tokens.cacheWrite,
  }
  return { messageId: apiMessageId, servedModel, usage, isComplete: tokens.isOutputEstimated !== true }
}
