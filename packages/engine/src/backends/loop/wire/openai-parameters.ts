import type { Thinking } from '@quarterdeck/protocol'
import type OpenAI from 'openai'
import { isClosedSchema } from './closed-schema.ts'
import type { WireRequest } from './model-wire.ts'
import { openaiMessages } from './openai-messages.ts'

/** The name of the output limit: Ollama knows only the older one. */
export type MaxTokensName = 'max_completion_tokens' | 'max_tokens'

export function openaiParameters(
  request: WireRequest,
  maxTokensName: MaxTokensName,
): OpenAI.ChatCompletionCreateParamsStreaming {
  const { model, system, entries, tools, maxTokens, temperature, topP, responseFormat } = request
  const effort = request.effort ?? effortOf(request.thinking)
  return {
    model,
    messages: openaiMessages(system, entries),
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length > 0 && { tools: toolsOf(request) }),
    ...(maxTokens !== null && { [maxTokensName]: maxTokens }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
    ...(effort !== null && { reasoning_effort: effort }),
    ...(responseFormat !== null && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: responseFormat, strict: isClosedSchema(responseFormat) },
      },
    }),
  }
}

/** The API has no token budget for thinking: it becomes the nearest of three efforts. */
function effortOf(thinking: Thinking): 'low' | 'medium' | 'high' | null {
  if (thinking === null) return null
  if (thinking.budgetTokens < 4096) return 'low'
  return thinking.budgetTokens < 16_384 ? 'medium' : 'high'
}

const toolsOf = ({ tools }: WireRequest): OpenAI.ChatCompletionTool[] =>
  tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: { ...inputSchema, type: 'object' } },
  }))
