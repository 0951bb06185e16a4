// Converts a Chat Completions request to the Messages API, so that responders need to know only one of them.
import { parseJson } from '@quarterdeck/protocol'
import type { ContentBlock, MessageParam, MessagesRequest } from '../anthropic/messages-request.ts'
import type { ChatMessage, ChatRequest, ContentPart, ToolCallParam } from './chat-request.ts'

/** Without a bound in the request, the model's own applies. */
const unboundedOutput = 128_000

export function toMessagesRequest(chat: ChatRequest): MessagesRequest {
  const system = chat.messages.filter(isSystem).map((message) => textOf(message.content))
  const tools = chat.tool_choice === 'none' ? [] : (chat.tools ?? [])
  const format = formatOf(chat.response_format)
  const stops = typeof chat.stop === 'string' ? [chat.stop] : chat.stop
  return {
    model: chat.model,
    max_tokens: chat.max_completion_tokens ?? chat.max_tokens ?? unboundedOutput,
    // This wire caches long prompts automatically.
    system: [{ type: 'text', text: system.join('\n'), cache_control: { type: 'ephemeral' } }],
    messages: chat.messages.filter((message) => !isSystem(message)).reduce<MessageParam[]>(addMessage, []),
    tools: tools.flatMap(({ function: offered }) => {
      if (!offered) return []
      const { name, description, parameters } = offered
      return [{ name, ...(description !== undefined && { description }), input_schema: parameters ?? {} }]
    }),
    stream: chat.stream ?? false,
    ...(stops && { stop_sequences: stops }),
    ...(chat.tool_choice && { tool_choice: toolChoiceOf(chat) }),
    ...(isReasoning(chat.reasoning_effort) && { thinking: { type: 'enabled' } }),
    ...(format && { output_config: { format } }),
  }
}

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer'

// Results of parallel calls are separate messages here, and one user message there. So are their images, because a
// tool result has no images on this wire.
function addMessage(messages: MessageParam[], message: ChatMessage): MessageParam[] {
  const content = message.role === 'tool' ? [toolResult(message)] : blocksOf(message)
  const last = messages.at(-1)
  if (last?.role !== 'user' || !isResults(last.content) || !(message.role === 'tool' || isImagesOfCalls(content))) {
    return [...messages, { role: message.role === 'assistant' ? 'assistant' : 'user', content }]
  }
  const [first, ...results] = last.content
  if (message.role === 'tool' || first === undefined) {
    return [...messages.slice(0, -1), { role: 'user', content: [...last.content, ...content] }]
  }
  const parts = [{ type: 'text', text: String(first.content) }, ...content]
  return [...messages.slice(0, -1), { role: 'user', content: [{ ...first, content: parts }, ...results] }]
}

function isImagesOfCalls(content: readonly ContentBlock[]): boolean {
  const texts = content.flatMap((block) => block.text ?? [])
  return content.some((block) => block.type === 'image') && texts.every((text) => /^pictures from the call/i.test(text))
}

const isResults = (content: MessageParam['content']): content is ContentBlock[] =>
  typeof content !== 'string' && content.every((block) => block.type === 'tool_result')

function blocksOf({ content, tool_calls: calls }: ChatMessage): ContentBlock[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return [...parts.map(toBlock), ...(calls ?? []).map(toToolUse)]
}

function toBlock(part: ContentPart): ContentBlock {
  if (part.type === 'refusal') return { type: 'text', text: part.refusal ?? '' }
  if (part.type !== 'image_url') return { type: part.type, ...(part.text !== undefined && { text: part.text }) }
  const url = part.image_url?.url ?? ''
  const inline = /^data:([\w/+.-]+);base64,(.*)$/s.exec(url)
  const source = inline ? { type: 'base64', media_type: inline[1], data: inline[2] } : { type: 'url', url }
  return { type: 'image', source }
}

function toToolUse({ id, function: called }: ToolCallParam): ContentBlock {
  // A model may write invalid JSON, and its client sends it back unchanged.
  return { type: 'tool_use', id, name: called?.name ?? '', input: parseJson(called?.arguments ?? '') ?? {} }
}

// This wire has no field for a failure: clients start the text with it.
function toolResult({ tool_call_id: id, content }: ChatMessage): ContentBlock {
  const text = textOf(content)
  return {
    type: 'tool_result',
    tool_use_id: id ?? '',
    content: text,
    is_error: /^\s*(?:error\b|<tool_use_error>)/i.test(text),
  }
}

function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => part.text ?? []).join('\n')
}

function toolChoiceOf({ tool_choice: choice, parallel_tool_calls: parallel }: ChatRequest) {
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (typeof choice === 'object' && choice?.function) return { type: 'tool', name: choice.function.name, ...alone }
  return { type: choice === 'required' ? 'any' : 'auto', ...alone }
}

const isReasoning = (effort: string | null | undefined): boolean =>
  effort !== undefined && effort !== null && effort !== 'none'

const someObject = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }

function formatOf(format: ChatRequest['response_format']) {
  switch (format?.type) {
    case 'json_schema':
      return { type: 'json_schema', schema: format.json_schema?.schema ?? someObject }
    case 'json_object':
      return { type: 'json_schema', schema: someObject }
    default:
      return null
  }
}
