// Converts a conversation to the format of Chat Completions.
import type { InputImage } from '@quarterdeck/protocol'
import type OpenAI from 'openai'
import { type CallResult, callsOf, type Entry, textOf } from '../conversation/entry.ts'

type MessageParam = OpenAI.ChatCompletionMessageParam
type PartParam = OpenAI.ChatCompletionContentPart

export function openaiMessages(system: string, entries: readonly Entry[]): MessageParam[] {
  const opening: MessageParam[] = system === '' ? [] : [{ role: 'system', content: system }]
  return [...opening, ...entries.flatMap(messagesOf)]
}

function messagesOf(entry: Entry): MessageParam[] {
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
