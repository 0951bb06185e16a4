// A whole assistant message, and the stream of events with the same content.
import type { TokenUsage } from '@quarterdeck/protocol'
import { z } from 'zod'
import { inPieces, inWords } from '../message-pieces.ts'
import { toWireUsage } from './usage.ts'

export type MessageBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

export const StopReason = z.enum([
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
])
export type StopReason = z.infer<typeof StopReason>

export interface AssistantMessage {
  readonly id: string
  readonly model: string
  readonly content: readonly MessageBlock[]
  readonly stopReason: StopReason
  readonly stopSequence: string | null
  readonly usage: TokenUsage
}

export interface MessageStreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

export const messageBody = (message: AssistantMessage) => ({
  id: message.id,
  type: 'message',
  role: 'assistant',
  model: message.model,
  content: message.content,
  stop_reason: message.stopReason,
  stop_sequence: message.stopSequence,
  usage: toWireUsage(message.usage),
})

/** Usage at the start counts one output token, as the API does; the total comes with `message_delta`. */
export function* messageEvents(message: AssistantMessage): Generator<MessageStreamEvent> {
  const usage = { ...toWireUsage(message.usage), output_tokens: Math.min(1, message.usage.outputTokens) }
  const opening = { ...messageBody(message), content: [], stop_reason: null, stop_sequence: null, usage }
  yield { type: 'message_start', message: opening }
  for (const [index, block] of message.content.entries()) {
    yield { type: 'content_block_start', index, content_block: emptyBlock(block) }
    for (const delta of blockDeltas(block)) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason: message.stopReason, stop_sequence: message.stopSequence },
    usage: toWireUsage(message.usage),
  }
  yield { type: 'message_stop' }
}

function emptyBlock(block: MessageBlock): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' }
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} }
  }
}

function* blockDeltas(block: MessageBlock): Generator<object> {
  switch (block.type) {
    case 'text':
      for (const text of inWords(block.text)) yield { type: 'text_delta', text }
      return
    case 'thinking':
      for (const thinking of inWords(block.thinking)) yield { type: 'thinking_delta', thinking }
      yield { type: 'signature_delta', signature: block.signature }
      return
    case 'tool_use':
      yield { type: 'input_json_delta', partial_json: '' }
      for (const partial of inPieces(JSON.stringify(block.input))) {
        yield { type: 'input_json_delta', partial_json: partial }
      }
  }
}
