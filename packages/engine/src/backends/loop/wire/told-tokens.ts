// What a provider counts of an answer. What it does not tell, or tells in numbers that cannot be, is estimated and marked
// so: no answer is free, and none gives money back.
import { mostTokens, type TokenCounts } from '@quarterdeck/protocol'
import { z } from 'zod'
import { estimateTokens, tokensOf } from '../estimate-tokens.ts'
import type { WireRequest } from './model-wire.ts'

/** `null` for a count that was not told or cannot be: the others beside it still hold. */
export const ToldCount = z.int().nonnegative().max(mostTokens).nullable().catch(null)

export interface ToldTokens {
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
}

export const untold: ToldTokens = { input: null, output: null, cacheRead: null, cacheWrite: null }

/**
 * `letters`: of everything that came. No prompt is empty and no words come from no tokens: such a zero is as good as
 * nothing told.
 */
export function countTokens(told: ToldTokens, request: WireRequest, letters: number): TokenCounts {
  const cacheRead = told.cacheRead ?? 0
  const cacheWrite = told.cacheWrite ?? 0
  const isInputTold = told.input !== null && told.input + cacheRead + cacheWrite > 0
  const isOutputTold = told.output !== null && (told.output > 0 || letters === 0)
  return {
    input: isInputTold ? (told.input ?? 0) : Math.max(0, estimateTokens(request) - cacheRead - cacheWrite),
    output: isOutputTold ? (told.output ?? 0) : tokensOf(letters),
    ...{ cacheRead, cacheWrite },
    ...(!(isInputTold && isOutputTold) && { isOutputEstimated: true }),
  }
}
