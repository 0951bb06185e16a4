// The parameters of a request to the Messages API, with the conversation in its format.
import type Anthropic from '@anthropic-ai/sdk'
import type { InputImage } from '@quarterdeck/protocol'
import type { AnswerPart, CallResult, Entry } from '../conversation/entry.ts'
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
    messages: messagesOf(entries, model),
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

type BlockParam = Anthropic.ContentBlockParam

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: BlockParam[]
}

/** A cache mark on the last block: everything up to it is read from the cache next time. */
function messagesOf(entries: readonly Entry[], model: string): Message[] {
  const messages = entries.flatMap((entry): Message[] => {
    const content = contentOf(entry, model)
    return content.length === 0 ? [] : [{ role: entry.type === 'answer' ? 'assistant' : 'user', content }]
  })
  return markLast(messages)
}

function contentOf(entry: Entry, model: string): BlockParam[] {
  switch (entry.type) {
    case 'prompt':
      return [...entry.images.map(imageBlock), ...textBlocks(entry.text)]
    case 'note':
    case 'summary':
      return textBlocks(entry.text)
    case 'results':
      return entry.results.map(resultBlock)
    case 'answer':
      return entry.parts.flatMap((part) => partBlocks(part, entry.model === model))
  }
}

/** The API refuses empty text. */
const textBlocks = (text: string): BlockParam[] => (text.trim() === '' ? [] : [{ type: 'text', text }])

/** A signature is valid only for the model that issued it. */
function partBlocks(part: AnswerPart, isSameModel: boolean): BlockParam[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part.text)
    case 'thinking': {
      const { text: thinking, signature } = part
      return isSameModel && signature !== '' ? [{ type: 'thinking', thinking, signature }] : []
    }
    case 'redacted_thinking':
      return isSameModel ? [{ type: 'redacted_thinking', data: part.data }] : []
    case 'call':
      return [{ type: 'tool_use', id: part.toolUseId, name: part.toolName, input: part.toolInput }]
  }
}

function resultBlock({ toolUseId, output, isError, images }: CallResult): BlockParam {
  const text = output === '' && images.length === 0 ? '(no output)' : output
  const content = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...images.map(imageBlock)]
  return { type: 'tool_result', tool_use_id: toolUseId, content, is_error: isError }
}

const imageBlock = ({ mediaType, data }: InputImage) =>
  ({ type: 'image', source: { type: 'base64', media_type: mediaType, data } }) as const

function markLast(messages: Message[]): Message[] {
  const last = messages.at(-1)
  const block = last?.content.at(-1)
  if (last === undefined || block === undefined) return messages
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return messages
  // Every other kind of block accepts the mark, but the union type does not express that.
  const marked = { ...block, cache_control: cached } as BlockParam
  return [...messages.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), marked] }]
}
