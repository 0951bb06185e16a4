// How much of a conversation is still in the provider's cache, according to its last answer. Cache reads count neither
// towards the rate nor at the full price, so a long conversation is not delayed by its length.
import type { TokenUsage } from '@quarterdeck/protocol'

export type PromptCacheMemory = ReturnType<typeof createPromptCacheMemory>

// Providers keep an entry for five minutes after its last use.
const cacheTtlMs = 270_000
const mostRemembered = 2_000

export function createPromptCacheMemory(now: () => number = () => performance.now()) {
  const remembered = new Map<string, { readonly tokens: number; readonly at: number }>()

  return {
    /** The part of an estimated prompt that will be read from the cache. */
    expect(conversation: string, inputTokens: number) {
      const known = remembered.get(conversation)
      if (!known || now() - known.at > cacheTtlMs) return 0
      return Math.min(known.tokens, inputTokens)
    },
    learn(conversation: string, inputTokens: number, usage: TokenUsage) {
      const cached = usage.cacheReadInputTokens + usage.cacheCreationInputTokens
      const share = cached / Math.max(1, cached + usage.inputTokens)
      remembered.delete(conversation)
      remembered.set(conversation, { tokens: Math.floor(inputTokens * share), at: now() })
      const [oldest] = remembered.keys()
      if (oldest !== undefined && remembered.size > mostRemembered) remembered.delete(oldest)
    },
  }
}
