// Token counts similar to a provider's that depend only on the request, so that a run costs the same every time.
import type { CountTokensRequest, MessageParam, MessagesRequest } from '@quarterdeck/model'
import { charactersPerToken, estimateTokens, type TokenUsage } from '@quarterdeck/protocol'

const smallestCachedPrefix = 1024
const tokensAfterBreakpoint = 4

export function countPromptTokens(request: CountTokensRequest): number {
  const { system, tools, messages } = request
  return tokensIn(JSON.stringify({ system, tools, messages }, asCounted))
}

/**
 * With cache markers, the part that the previous request of the conversation contained is read from the cache and the
 * rest is written to it; the first request writes everything. Without markers, or below the smallest prefix, nothing is
 * cached.
 */
export function estimateUsage(request: MessagesRequest, output: string): TokenUsage {
  const total = countPromptTokens(request)
  const outputTokens = Math.max(1, tokensIn(output))
  const cacheable = total - tokensAfterBreakpoint
  if (!hasCacheMarker(request) || cacheable < smallestCachedPrefix) {
    return { inputTokens: total, outputTokens, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
  }
  const known = Math.max(0, cacheable - newTokens(request.messages))
  const cacheReadInputTokens = known >= smallestCachedPrefix ? known : 0
  return {
    inputTokens: tokensAfterBreakpoint,
    outputTokens,
    cacheReadInputTokens,
    cacheCreationInputTokens: cacheable - cacheReadInputTokens,
  }
}

const imageFiller = 'x'.repeat(1_500 * charactersPerToken)

// An image is charged by its area, not by the length of its encoding.
const asCounted = (key: string, value: unknown): unknown =>
  key === 'data' && typeof value === 'string' && value.length > imageFiller.length ? imageFiller : value

export const tokensIn = (text: string): number => estimateTokens(text.length)

function newTokens(messages: readonly MessageParam[]): number {
  const lastAnswer = messages.findLastIndex((message) => message.role === 'assistant')
  return lastAnswer === -1 ? Number.POSITIVE_INFINITY : tokensIn(JSON.stringify(messages.slice(lastAnswer), asCounted))
}

function hasCacheMarker(request: MessagesRequest): boolean {
  const blocks = [
    ...(Array.isArray(request.system) ? request.system : []),
    ...(request.tools ?? []),
    ...request.messages.flatMap((message) => (Array.isArray(message.content) ? message.content : [])),
  ]
  return blocks.some((block) => block.cache_control !== undefined && block.cache_control !== null)
}
