// Token counts of one message, read from a whole response or collected from its stream.
import { mostTokens, type TokenCounts, type TokenUsage } from '@quarterdeck/protocol'
import { z } from 'zod'

export const noUsage: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
}

/** An invalid count is ignored; the others remain valid. */
const count = z.int().nonnegative().max(mostTokens).nullish().catch(null)

/** The spelling of the API. A stream repeats counts in `message_delta`; they are running totals, never differences. */
export const WireUsage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
})
export type WireUsage = z.infer<typeof WireUsage>

export const usageOf = ({ input, output, cacheRead, cacheWrite }: TokenCounts): TokenUsage => ({
  inputTokens: input,
  outputTokens: output,
  cacheReadInputTokens: cacheRead,
  cacheCreationInputTokens: cacheWrite,
})

export const mergeUsage = (known: TokenUsage, reported: WireUsage): TokenUsage => ({
  inputTokens: reported.input_tokens ?? known.inputTokens,
  outputTokens: reported.output_tokens ?? known.outputTokens,
  cacheReadInputTokens: reported.cache_read_input_tokens ?? known.cacheReadInputTokens,
  cacheCreationInputTokens: reported.cache_creation_input_tokens ?? known.cacheCreationInputTokens,
})

export const addUsage = (left: TokenUsage, right: TokenUsage): TokenUsage => ({
  inputTokens: left.inputTokens + right.inputTokens,
  outputTokens: left.outputTokens + right.outputTokens,
  cacheReadInputTokens: left.cacheReadInputTokens + right.cacheReadInputTokens,
  cacheCreationInputTokens: left.cacheCreationInputTokens + right.cacheCreationInputTokens,
})

/** The input that counts towards the rate: cache reads do not. */
export const countedInput = (usage: TokenUsage): number => usage.inputTokens + usage.cacheCreationInputTokens

/** The spelling of the API. */
export const toWireUsage = (usage: TokenUsage) => ({
  input_tokens: usage.inputTokens,
  cache_creation_input_tokens: usage.cacheCreationInputTokens,
  cache_read_input_tokens: usage.cacheReadInputTokens,
  output_tokens: usage.outputTokens,
})
