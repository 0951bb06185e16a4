// What an answer's usage means for the rate: what is read from the cache does not count towards it.
import type { TokenUsage } from '../wire/anthropic/usage.ts'
import type { RateOutcome } from './rate/rate-shaper.ts'

export function countedInput(usage: TokenUsage): number {
  return usage.inputTokens + usage.cacheCreationInputTokens
}

export function rateOutcome(usage: TokenUsage): RateOutcome {
  const inputTokens = countedInput(usage)
  return { inputTokens, promptTokens: inputTokens + usage.cacheReadInputTokens, outputTokens: usage.outputTokens }
}
