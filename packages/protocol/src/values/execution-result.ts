// The result of one turn, with the names of the original contracts. camelCase inside, snake_case in JSON reports.
import { z } from 'zod'
import { JsonObject } from './json.ts'

export const ToolCallRecord = z.object({ name: z.string(), arguments: JsonObject, callId: z.string() })
export type ToolCallRecord = z.infer<typeof ToolCallRecord>

export const ToolResultRecord = z.object({ callId: z.string(), result: z.string(), isError: z.boolean() })
export type ToolResultRecord = z.infer<typeof ToolResultRecord>

export const TokenUsage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadInputTokens: z.int(),
  cacheCreationInputTokens: z.int(),
})
export type TokenUsage = z.infer<typeof TokenUsage>

/** Reasons as spelled in the contract's table; a tool's name or a provider's message may follow. */
export const errorReasons = {
  maxTurns: 'max_turns limit reached',
  crashed: 'subprocess terminated unexpectedly',
  toolFailed: (name: string) => `tool execution failed: ${name}`,
  timeout: 'timeout exceeded',
  budget: 'budget limit reached',
  interrupted: 'interrupted',
  stuck: 'the turn was stopped: it showed no activity',
} as const

const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }

/** Missing fields get the defaults of the contract. */
export const ExecutionResult = z.object({
  response: z.string(),
  toolCalls: z.array(ToolCallRecord).default([]),
  toolResults: z.array(ToolResultRecord).default([]),
  tokenUsage: TokenUsage.default(noTokens),
  structuredOutput: z.unknown().nullable().default(null),
  numTurns: z.int().default(1),
  isError: z.boolean().default(false),
  errorReason: z.string().nullable().default(null),
})
export type ExecutionResult = z.infer<typeof ExecutionResult>

/** The shape of printed reports: every spelling of the token counts in the two original contracts. */
export function executionResultToJson(result: ExecutionResult) {
  const usage = result.tokenUsage
  const prompt = usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens
  return {
    response: result.response,
    tool_calls: result.toolCalls.map((call) => ({ name: call.name, arguments: call.arguments, call_id: call.callId })),
    tool_results: result.toolResults.map((entry) => ({
      call_id: entry.callId,
      result: entry.result,
      is_error: entry.isError,
    })),
    token_usage: {
      prompt_tokens: prompt,
      completion_tokens: usage.outputTokens,
      total_tokens: prompt + usage.outputTokens,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_input_tokens: usage.cacheReadInputTokens,
      cache_creation_input_tokens: usage.cacheCreationInputTokens,
    },
    structured_output: result.structuredOutput ?? null,
    num_turns: result.numTurns,
    is_error: result.isError,
    error_reason: result.errorReason,
  }
}
