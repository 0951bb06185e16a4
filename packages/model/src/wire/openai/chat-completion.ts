// A whole message as a chat completion, and the stream of chunks with the same content.
import { estimateTokens } from '@quarterdeck/protocol'
import type { AssistantMessage, MessageBlock, StopReason } from '../anthropic/message.ts'
import { inPieces, inWords } from '../message-pieces.ts'

const msPerSecond = 1000

const finishReason: Readonly<Record<StopReason, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}

export function completionBody(message: AssistantMessage) {
  const calls = message.content.filter((block) => block.type === 'tool_use')
  const reasoning = joined(message.content, 'thinking')
  const answer = {
    role: 'assistant',
    content: joined(message.content, 'text') || null,
    refusal: null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  }
  const finish_reason = finishReason[message.stopReason]
  return {
    ...heading(message, 'chat.completion'),
    choices: [{ index: 0, message: answer, logprobs: null, finish_reason }],
    usage: completionUsage(message),
  }
}

export interface Chunk {
  readonly kind: 'opening' | 'delta' | 'other' | 'finish' | 'usage'
  readonly body: object
}

/** With `includeUsage` a last chunk without choices has the usage, and it is null in every other chunk. */
export function* completionChunks(message: AssistantMessage, includeUsage: boolean): Generator<Chunk> {
  const head = { ...heading(message, 'chat.completion.chunk'), ...(includeUsage && { usage: null }) }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })
  yield { kind: 'opening', body: chunk({ role: 'assistant', content: '', refusal: null }) }
  let index = 0
  for (const block of message.content) {
    if (block.type === 'tool_use') {
      const call = { ...toolCall(block), function: { name: block.name, arguments: '' } }
      yield { kind: 'other', body: chunk({ tool_calls: [{ index, ...call }] }) }
      for (const part of inPieces(JSON.stringify(block.input))) {
        yield { kind: 'delta', body: chunk({ tool_calls: [{ index, function: { arguments: part } }] }) }
      }
      index += 1
    } else {
      for (const delta of wordDeltas(block)) yield { kind: 'delta', body: chunk(delta) }
    }
  }
  yield { kind: 'finish', body: chunk({}, finishReason[message.stopReason]) }
  if (includeUsage) yield { kind: 'usage', body: { ...head, choices: [], usage: completionUsage(message) } }
}

/** Cache reads and cache writes are parts of the prompt here. */
function completionUsage({ content, usage }: AssistantMessage) {
  const prompt = usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens
  const thinking = joined(content, 'thinking')
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadInputTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: Math.min(usage.outputTokens, estimateTokens(thinking.length)),
      audio_tokens: 0,
    },
  }
}

const heading = ({ id, model }: AssistantMessage, object: string) => ({
  id,
  object,
  created: Math.floor(Date.now() / msPerSecond),
  model,
  service_tier: 'default',
  system_fingerprint: null,
})

function* wordDeltas(block: Exclude<MessageBlock, { type: 'tool_use' }>): Generator<object> {
  if (block.type === 'text') for (const content of inWords(block.text)) yield { content }
  else for (const reasoning_content of inWords(block.thinking)) yield { reasoning_content }
}

const toolCall = ({ id, name, input }: Extract<MessageBlock, { type: 'tool_use' }>) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})

function joined(content: readonly MessageBlock[], kind: 'text' | 'thinking'): string {
  const texts = content.map((block) => {
    if (block.type !== kind) return ''
    return block.type === 'text' ? block.text : block.thinking
  })
  return texts.join('')
}
