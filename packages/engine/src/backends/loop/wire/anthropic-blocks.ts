// The blocks of a message, assembled from their deltas.
import type Anthropic from '@anthropic-ai/sdk'
import type { AnswerPart } from '../conversation/entry.ts'
import type { WireListener } from './model-wire.ts'
import { callPart } from './parse-input.ts'
import { nameIn, textIn } from './response-fields.ts'

export type StreamedBlock =
  | { readonly type: 'text' | 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted'; readonly data: string }
  | { readonly type: 'call'; readonly toolUseId: string; readonly toolName: string; json: string }

export function blockOf(block: Anthropic.ContentBlock): StreamedBlock {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', text: textIn(block.thinking ?? ''), signature: textIn(block.signature ?? '') }
    case 'redacted_thinking':
      return { type: 'redacted', data: textIn(block.data) }
    case 'tool_use': {
      const toolUseId = nameIn(block.id, 'the id of a call')
      return { type: 'call', toolUseId, toolName: nameIn(block.name, 'the name of a call'), json: '' }
    }
    default:
      return { type: 'text', text: block.type === 'text' ? textIn(block.text ?? '') : '', signature: '' }
  }
}

export function addDelta(
  block: StreamedBlock | undefined,
  delta: Anthropic.RawContentBlockDelta,
  listener: WireListener,
): Promise<void> | null {
  if (block === undefined || block.type === 'redacted') return null
  if (block.type === 'call') {
    if (delta.type === 'input_json_delta') block.json += written(delta.partial_json, listener)
    return null
  }
  switch (delta.type) {
    case 'text_delta':
      block.text += textIn(delta.text)
      return listener.streamed('text', delta.text)
    case 'thinking_delta':
      block.text += textIn(delta.thinking)
      return listener.streamed('thinking', delta.thinking)
    case 'signature_delta':
      block.signature += written(delta.signature, listener)
      return null
    default:
      return null
  }
}

function written(reported: unknown, listener: WireListener): string {
  const deltaText = textIn(reported)
  listener.wrote(deltaText.length)
  return deltaText
}

export function lengthOfBlock(block: StreamedBlock): number {
  switch (block.type) {
    case 'call':
      return block.toolName.length + block.json.length
    case 'redacted':
      return block.data.length
    default:
      return block.text.length + block.signature.length
  }
}

export function partOf(block: StreamedBlock): AnswerPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'thinking':
      return { type: 'thinking', text: block.text, signature: block.signature }
    case 'redacted':
      return { type: 'redacted_thinking', data: block.data }
    case 'call':
      return callPart(block)
  }
}
