// The effect of an answer's usage on the rate.
import type { TokenUsage } from '@quarterdeck/protocol'
import { countedInput } from '../../wire/anthropic/usage.ts'
import type { RateOutcome } from './family-queue.ts'

export function rateOutcome(usage: TokenUsage): RateOutcome {
  const inputTokens = countedInput(usage)
  return { inputTokens, promptTokens: inputTokens + usage.cacheReadInputTokens, outputTokens: usage.outputTokens }
}
