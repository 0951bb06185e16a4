import type Anthropic from '@anthropic-ai/sdk'
import { anthropicMessages } from './anthropic-messages.ts'
import { isClosedSchema } from './closed-schema.ts'
import { outputTokenLimit, type WireRequest } from './model-wire.ts'

/** The minimum of the API. */
const leastThinking = 1024

const cached = { type: 'ephemeral' } as const

export function anthropicParameters(request: WireRequest): Anthropic.MessageCreateParamsStreaming {
  const { model, entries, temperature, topP } = request
  const { thinking, max_tokens } = thinkingLimits(request)
  const isThinking = thinking.type !== 'disabled'
  const outputConfig = outputConfigOf(request)
  return {
    model,
    max_tokens,
    stream: true,
    messages: anthropicMessages(entries, model),
    ...(request.system !== '' && { system: [{ type: 'text', text: request.system, cache_control: cached }] }),
    ...(request.tools.length > 0 && { tools: toolsOf(request) }),
    ...(isThinking && { thinking }),
    ...(outputConfig !== null && { output_config: outputConfig }),
    // Refused together with thinking.
    ...(temperature !== null && !isThinking && { temperature }),
    ...(topP !== null && !isThinking && { top_p: topP }),
  }
}

interface ThinkingLimits {
  readonly thinking: Anthropic.ThinkingConfigParam
  readonly max_tokens: number
}

/** The API requires a limit, and thinking has to leave capacity for the answer. */
function thinkingLimits(request: WireRequest): ThinkingLimits {
  const { model, thinking } = request
  const outputLimit = outputTokenLimit(request)
  if (thinking === null || outputLimit <= leastThinking)
    return { thinking: { type: 'disabled' }, max_tokens: outputLimit }
  if (thinksAdaptively(model)) return { thinking: { type: 'adaptive', display: 'summarized' }, max_tokens: outputLimit }
  const budget = Math.max(leastThinking, Math.min(thinking.budgetTokens, outputLimit - leastThinking))
  return { thinking: { type: 'enabled', budget_tokens: budget, display: 'summarized' }, max_tokens: outputLimit }
}

/** Newer models choose their thinking budget themselves and refuse one. */
const thinksAdaptively = (model: string): boolean => /^claude-(opus-4-[7-9]|[a-z]+-([5-9]|\d\d)(-|$))/.test(model)

/** Uses the API's structured output if it supports the schema. The engine validates the answer in any case. */
function outputConfigOf({ effort, responseFormat }: WireRequest): Anthropic.OutputConfig | null {
  const schema = responseFormat !== null && isClosedSchema(responseFormat) ? responseFormat : null
  if (effort === null && schema === null) return null
  return { ...(effort !== null && { effort }), ...(schema !== null && { format: { type: 'json_schema', schema } }) }
}

/** The cache mark on the last tool covers the whole list. */
function toolsOf({ tools }: WireRequest): Anthropic.Tool[] {
  return tools.map(({ name, description, inputSchema }, index) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' as const },
    ...(index === tools.length - 1 && { cache_control: cached }),
  }))
}
