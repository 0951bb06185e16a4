import { describe, expect, it } from 'vitest'
import { ExecutionResult, errorReasons, executionResultToJson } from './execution-result.ts'

const result = ExecutionResult.parse({
  response: 'done',
  toolCalls: [{ name: 'Bash', arguments: { command: 'ls' }, callId: 'c1' }],
  toolResults: [{ callId: 'c1', result: 'a', isError: false }],
  tokenUsage: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 3, cacheCreationInputTokens: 2 },
  structuredOutput: null,
  numTurns: 1,
  isError: false,
  errorReason: null,
})

describe('executionResultToJson', () => {
  it('prints every field of the contract in snake case, with both spellings of the tokens', () => {
    expect(executionResultToJson(result)).toEqual({
      response: 'done',
      tool_calls: [{ name: 'Bash', arguments: { command: 'ls' }, call_id: 'c1' }],
      tool_results: [{ call_id: 'c1', result: 'a', is_error: false }],
      token_usage: {
        prompt_tokens: 15,
        completion_tokens: 5,
        total_tokens: 20,
        input_tokens: 10,
        output_tokens: 5,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 2,
      },
      structured_output: null,
      num_turns: 1,
      is_error: false,
      error_reason: null,
    })
  })

  it('keeps a structured output as it is', () => {
    expect(executionResultToJson({ ...result, structuredOutput: { a: [1] } }).structured_output).toEqual({ a: [1] })
  })
})

describe('errorReasons', () => {
  it('are spelled as in the contract', () => {
    expect({ ...errorReasons, toolFailed: errorReasons.toolFailed('Bash') }).toEqual({
      maxTurns: 'max_turns limit reached',
      crashed: 'subprocess terminated unexpectedly',
      toolFailed: 'tool execution failed: Bash',
      timeout: 'timeout exceeded',
      budget: 'budget limit reached',
      interrupted: 'interrupted',
      stuck: 'the turn was stopped: it showed no activity',
    })
  })
})
