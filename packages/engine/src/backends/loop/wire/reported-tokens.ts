// Token counts reported by a provider. Missing or impossible counts are estimated and marked as estimates, so that no
// answer is free or has a negative cost.
import { estimateTokens, mostTokens, type TokenCounts } from '@quarterdeck/protocol'
import { z } from 'zod'
import { estimateRequestTokens } from '../conversation/estimate-request-tokens.ts'
import type { WireRequest } from './model-wire.ts'

/** `null` for a count that is missing or impossible; the other counts remain valid. */
export const ReportedCount = z.int().nonnegative().max(mostTokens).nullable().catch(null)

export interface ReportedTokens {
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
}

export const unreported: ReportedTokens = { input: null, output: null, cacheRead: null, cacheWrite: null }

/**
 * `characters`: the number received. A zero is treated as missing, because no prompt and no text has zero
 * tokens.
 */
export function countTokens(reported: ReportedTokens, request: WireRequest, characters: number): TokenCounts {
  const cacheRead = reported.cacheRead ?? 0
  const cacheWrite = reported.cacheWrite ?? 0
  const isInputReported = reported.input !== null && reported.input + cacheRead + cacheWrite > 0
  const isOutputReported = reported.output !== null && (reported.output > 0 || characters === 0)
  return {
    input: isInputReported
      ? (reported.input ?? 0)
      : Math.max(0, estimateRequestTokens(request) - cacheRead - cacheWrite),
    output: isOutputReported ? (reported.output ?? 0) : estimateTokens(characters),
    cacheRead,
    cacheWrite,
    ...(!(isInputReported && isOutputReported) && { isOutputEstimated: true }),
  }
}
