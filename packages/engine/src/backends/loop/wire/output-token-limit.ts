import type { WireRequest } from './model-wire.ts'

/** What an answer without a bound may take. */
const defaultOutputTokens = 16_000

/**
 * How many tokens an answer may take: what is reserved for it, and what the provider is told where it wants a bound.
 * What is thought counts against it.
 */
export const outputTokenLimit = ({ maxTokens, thinking }: Pick<WireRequest, 'maxTokens' | 'thinking'>): number =>
  maxTokens ?? defaultOutputTokens + (thinking?.budgetTokens ?? 0)
