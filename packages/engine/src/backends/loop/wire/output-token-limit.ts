import type { WireRequest } from './model-wire.ts'

/** The limit of an answer if none is configured. */
const defaultOutputTokens = 16_000

/**
 * How many tokens an answer may use, including thinking. The amount is reserved, and sent to providers that require a
 * limit.
 */
export const outputTokenLimit = ({ maxTokens, thinking }: Pick<WireRequest, 'maxTokens' | 'thinking'>): number =>
  maxTokens ?? defaultOutputTokens + (thinking?.budgetTokens ?? 0)
