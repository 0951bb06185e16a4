// Converts a conversation to the format of the Messages API.
import type Anthropic from '@anthropic-ai/sdk'
import type { InputImage } from '@quarterdeck/protocol'
import type { AnswerPart, CallResult, Entry } from '../conversation/entry.ts'

type BlockParam = Anthropic.ContentBlockParam

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: BlockParam[]
}

const cached = { type: 'ephemeral' } as const

/** A cache mark on the last block: everything up to it is read from the cache next time. */
export function anthropicMessages(entries: readonly Entry[], model: string): Message[] {
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
