import type { WireRequest } from './model-wire.ts'

/** What an answer without a bound may take. */
const usualOutput = 16_000

/**
 * How many tokens an answer may take: what is reserved for it, and what the provider is told where it wants a bound.
 * What is thought counts against it.
 */
export const outputRoom = ({ maxTokens, thinking }: Pick<WireRequest, 'maxTokens' | 'thinking'>): number =>
  maxTokens ?? usualOutput + (thinking?.budgetTokens ?? 0)
