import type { SdkModelUsage } from './sdk-message.ts'

/** Counted things; sizes such as the context window are facts about the model and stay as they are. */
const counted = new Set([
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
  'cacheCreationInputTokens',
  'cacheCreationEphemeral5mInputTokens',
  'cacheCreationEphemeral1hInputTokens',
  'thinkingTokens',
  'webSearchRequests',
  'costUSD',
])

/** What one turn used: totals now minus totals before. A total that went down was reset, so it counts from zero. */
export function usageDifference(now: SdkModelUsage, before: SdkModelUsage): SdkModelUsage {
  const models = Object.entries(now).map(([model, usage]) => [model, difference(usage, before[model])] as const)
  return Object.fromEntries(models.filter(([, usage]) => usage.inputTokens + usage.outputTokens > 0))
}

type Usage = SdkModelUsage[string]

function difference(now: Usage, before: Usage | undefined): Usage {
  if (before === undefined || now.inputTokens < before.inputTokens || now.outputTokens < before.outputTokens) return now
  const fields = Object.entries(now).map(([field, value]) => [field, subtract(field, value, before[field])])
  return { ...now, ...Object.fromEntries(fields) }
}

function subtract(field: string, now: unknown, before: unknown): unknown {
  if (!counted.has(field) || typeof now !== 'number' || typeof before !== 'number') return now
  return Math.max(0, now - before)
}
