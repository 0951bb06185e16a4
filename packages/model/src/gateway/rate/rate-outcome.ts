// What an answer's usage means for the rate.
import { countedInput, type TokenUsage } from '../../wire/anthropic/usage.ts'
import type { RateOutcome } from './rate-shaper.ts'

export function rateOutcome(usage: TokenUsage): RateOutcome {
  const inputTokens = countedInput(usage)
  return { inputTokens, promptTokens: inputTokens + usage.cacheReadInputTokens, outputTokens: usage.outputTokens }
}
