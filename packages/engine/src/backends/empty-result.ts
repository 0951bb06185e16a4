import type { ExecutionResult } from '@quarterdeck/protocol'

/** A turn that produced nothing: the base every other result is built on. */
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
