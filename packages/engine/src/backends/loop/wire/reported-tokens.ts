// What a provider counts of an answer. What it does not tell, or tells in numbers that cannot be, is estimated and marked
// so: no answer is free, and none gives money back.
import { mostTokens, type TokenCounts } from '@quarterdeck/protocol'
import { z } from 'zod'
import { estimateTokens, tokensOf } from '../conversation/estimate-tokens.ts'
import type { WireRequest } from './model-wire.ts'

/** `null` for a count that was not told or cannot be: the others beside it still hold. */
export const ReportedCount = z.int().nonnegative().max(mostTokens).nullable().catch(null)

export interface ReportedTokens {
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
}

export const unreported: ReportedTokens = { input: null, output: null, cacheRead: null, cacheWrite: null }

/**
 * `letters`: of everything that came. No prompt is empty and no words come from no tokens: such a zero is as good as
 * nothing told.
 */
export function countTokens(reported: ReportedTokens, request: WireRequest, characters: number): TokenCounts {
  const cacheRead = reported.cacheRead ?? 0
  const cacheWrite = reported.cacheWrite ?? 0
  const isInputReported = reported.input !== null && reported.input + cacheRead + cacheWrite > 0
  const isOutputReported = reported.output !== null && (reported.output > 0 || characters === 0)
  return {
    input: isInputReported ? (reported.input ?? 0) : Math.max(0, estimateTokens(request) - cacheRead - cacheWrite),
    output: isOutputReported ? (reported.output ?? 0) : tokensOf(characters),
    cacheRead,
    cacheWrite,
    ...(!(isInputReported && isOutputReported) && { isOutputEstimated: true }),
  }
}
