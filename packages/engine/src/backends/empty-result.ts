import type { EventDraft, ExecutionResult } from '@quarterdeck/protocol'

/** The result of a turn that produced nothing; every other result extends it. */
export const emptyResult: ExecutionResult = {
  response: '',
  toolCalls: [],
  toolResults: [],
  tokenUsage: { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  structuredOutput: null,
  numTurns: 0,
  isError: false,
  errorReason: null,
}

/** The end of a turn that used nothing, as far as is known. */
export const nothingUsed = {
  durationApiMs: 0,
  reportedCostUsd: null,
  modelUsage: {},
  permissionDenials: [],
} satisfies Partial<EventDraft<'TurnEnded'>['data']>
