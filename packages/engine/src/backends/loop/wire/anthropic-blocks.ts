// The blocks of a message while they come, piece by piece.
import type Anthropic from '@anthropic-ai/sdk'
import type { Part } from '../conversation/entry.ts'
import type { WireEar } from './model-wire.ts'
import { callPart } from './parse-input.ts'
import { nameIn, wordsIn } from './told-text.ts'

export type Block =
  | { readonly type: 'text' | 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted'; readonly data: string }
  | { readonly type: 'call'; readonly toolUseId: string; readonly toolName: string; json: string }

export function blockOf(block: Anthropic.ContentBlock): Block {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', text: wordsIn(block.thinking ?? ''), signature: wordsIn(block.signature ?? '') }
    case 'redacted_thinking':
      return { type: 'redacted', data: wordsIn(block.data) }
    case 'tool_use': {
      const toolUseId = nameIn(block.id, 'the id of a call')
      return { type: 'call', toolUseId, toolName: nameIn(block.name, 'the name of a call'), json: '' }
    }
    default:
      return { type: 'text', text: block.type === 'text' ? wordsIn(block.text ?? '') : '', signature: '' }
  }
}

export function addDelta(
  block: Block | undefined,
  delta: Anthropic.RawContentBlockDelta,
  ear: WireEar,
): Promise<void> | null {
  if (block === undefined || block.type === 'redacted') return null
  if (block.type === 'call') {
    if (delta.type === 'input_json_delta') block.json += written(delta.partial_json, ear)
    return null
  }
  switch (delta.type) {
    case 'text_delta':
      block.text += wordsIn(delta.text)
      return ear.said('text', delta.text)
    case 'thinking_delta':
      block.text += wordsIn(delta.thinking)
      return ear.said('thinking', delta.thinking)
    case 'signature_delta':
      block.signature += written(delta.signature, ear)
      return null
    default:
      return null
  }
}

function written(told: unknown, ear: WireEar): string {
  const words = wordsIn(told)
  ear.wrote(words.length)
  return words
}

export function lettersOf(block: Block): number {
  switch (block.type) {
    case 'call':
      return block.toolName.length + block.json.length
    case 'redacted':
      return block.data.length
    default:
      return block.text.length + block.signature.length
  }
}

export function partOf(block: Block): Part {
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
