// The parameters of a request to Chat Completions, with the conversation in its format.
import type { InputImage, Thinking } from '@quarterdeck/protocol'
import type OpenAI from 'openai'
import { type CallResult, callsOf, type Entry, textOf } from '../conversation/entry.ts'
import { isClosedSchema } from './closed-schema.ts'
import type { WireRequest } from './model-wire.ts'

/** The name of the output limit: Ollama knows only the older one. */
export type MaxTokensName = 'max_completion_tokens' | 'max_tokens'

export function openaiParameters(
  request: WireRequest,
  maxTokensName: MaxTokensName,
): OpenAI.ChatCompletionCreateParamsStreaming {
  const { model, tools, maxTokens, temperature, topP, responseFormat } = request
  const effort = request.effort ?? effortOf(request.thinking)
  return {
    model,
    messages: messagesOf(request),
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

type MessageParam = OpenAI.ChatCompletionMessageParam
type PartParam = OpenAI.ChatCompletionContentPart

function messagesOf({ system, entries }: WireRequest): MessageParam[] {
  const opening: MessageParam[] = system === '' ? [] : [{ role: 'system', content: system }]
  return [...opening, ...entries.flatMap(entryMessages)]
}

function entryMessages(entry: Entry): MessageParam[] {
  switch (entry.type) {
    case 'prompt':
      return [{ role: 'user', content: promptContent(entry.text, entry.images) }]
    case 'note':
    case 'summary':
      return [{ role: 'user', content: entry.text }]
    case 'results':
      return resultMessages(entry.results)
    case 'answer':
      return answerMessages(entry)
  }
}

function promptContent(text: string, images: readonly InputImage[]): string | PartParam[] {
  return images.length === 0 ? text : [...images.map(imagePart), ...(text === '' ? [] : [textPart(text)])]
}

/** Thinking is not sent back: the API has no field for it. */
function answerMessages({ parts }: Extract<Entry, { type: 'answer' }>): MessageParam[] {
  const text = textOf(parts)
  const calls = callsOf(parts).map(({ toolUseId, toolName, toolInput }) => ({
    id: toolUseId,
    type: 'function' as const,
    function: { name: toolName, arguments: JSON.stringify(toolInput) },
  }))
  if (text === '' && calls.length === 0) return []
  return [{ role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 && { tool_calls: calls }) }]
}

/** Tool results are text only in this API: their images follow as a user message. */
function resultMessages(results: readonly CallResult[]): MessageParam[] {
  const messages = results.map(({ toolUseId, output, isError }): MessageParam => {
    const content = isError ? `Error: ${output}` : output
    return { role: 'tool', tool_call_id: toolUseId, content }
  })
  const imageParts = results.flatMap(({ toolUseId, images }) =>
    images.length === 0 ? [] : [textPart(`Pictures from the call ${toolUseId}:`), ...images.map(imagePart)],
  )
  return imageParts.length === 0 ? messages : [...messages, { role: 'user', content: imageParts }]
}

const textPart = (text: string): PartParam => ({ type: 'text', text })

const imagePart = ({ mediaType, data }: InputImage): PartParam => ({
  type: 'image_url',
  image_url: { url: `data:${mediaType};base64,${data}` },
})
