// How much of a conversation the provider still has in its cache, as far as its last answer told. What is read from
// the cache counts neither towards the rate nor at the full price, so a long conversation is not held back by its length.
import type { TokenUsage } from '../../wire/anthropic/usage.ts'

export interface PromptCacheMemory {
  /** Of an estimated prompt, the part that will be read from the cache. */
  expect(conversation: string, inputTokens: number): number
  learn(conversation: string, inputTokens: number, usage: TokenUsage): void
}

// A provider keeps it for five minutes after its last use.
const cacheTtlMs = 270_000
const mostRemembered = 2_000

export function createPromptCacheMemory(now: () => number = () => performance.now()): PromptCacheMemory {
  const remembered = new Map<string, { readonly tokens: number; readonly at: number }>()

  return {
    expect(conversation, inputTokens) {
      const known = remembered.get(conversation)
      if (!known || now() - known.at > cacheTtlMs) return 0
      return Math.min(known.tokens, inputTokens)
    },
    learn(conversation, inputTokens, usage) {
      const cached = usage.cacheReadInputTokens + usage.cacheCreationInputTokens
      const share = cached / Math.max(1, cached + usage.inputTokens)
      remembered.delete(conversation)
      remembered.set(conversation, { tokens: Math.floor(inputTokens * share), at: now() })
      const [oldest] = remembered.keys()
      if (oldest !== undefined && remembered.size > mostRemembered) remembered.delete(oldest)
    },
  }
}
