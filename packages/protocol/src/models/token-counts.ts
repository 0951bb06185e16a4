// Tokens of model answers: checked before they are booked, and added up.
import { z } from 'zod'

export const TokenCounts = z.object({
  input: z.int().nonnegative(),
  output: z.int().nonnegative(),
  cacheRead: z.int().nonnegative(),
  cacheWrite: z.int().nonnegative(),
  /** True if an answer had no counts or was interrupted: missing counts, and with them the cost, are estimates. */
  isOutputEstimated: z.boolean().optional(),
})
export type TokenCounts = z.infer<typeof TokenCounts>

/** Of one answer: more than any model can hold, so a higher count is wrong. */
export const mostTokens = 100_000_000

const isCount = (reported: unknown): boolean =>
  Number.isInteger(reported) && Number(reported) >= 0 && Number(reported) <= mostTokens

/**
 * The counts of one answer as they may be booked: an invalid one (negative, a fraction, infinite, not a number) is
 * replaced by the estimate, which makes the whole an estimate. A booking never reduces the spent amount.
 */
export function sanitizeTokens(reported: TokenCounts, guess: Partial<TokenCounts> = {}): TokenCounts {
  const names = ['input', 'output', 'cacheRead', 'cacheWrite'] as const
  if (names.every((name) => isCount(reported[name]))) return reported
  const countOf = (name: (typeof names)[number]): number =>
    isCount(reported[name]) ? reported[name] : (guess[name] ?? 0)
  return {
    input: countOf('input'),
    output: countOf('output'),
    cacheRead: countOf('cacheRead'),
    cacheWrite: countOf('cacheWrite'),
    isOutputEstimated: true,
  }
}

/** A sum is an estimate as soon as one part of it is. */
export function addTokens(sum: TokenCounts, more: TokenCounts): TokenCounts {
  return {
    input: sum.input + more.input,
    output: sum.output + more.output,
    cacheRead: sum.cacheRead + more.cacheRead,
    cacheWrite: sum.cacheWrite + more.cacheWrite,
    ...(sum.isOutputEstimated || more.isOutputEstimated ? { isOutputEstimated: true } : {}),
  }
}
