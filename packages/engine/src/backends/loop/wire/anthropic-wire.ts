// The Messages API through the official client.
import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk'
import type { TokenCounts } from '@quarterdeck/protocol'
import type { Part } from '../conversation/entry.ts'
import { anthropicParameters } from './anthropic-parameters.ts'
import type { ModelWire, StopReason, WireAnswer, WireEar, WireRequest } from './model-wire.ts'
import { callPart } from './parse-input.ts'
import { providerFetch } from './provider-fetch.ts'
import { brokenFailure, oddFailure, toldFailure, WireFailure } from './wire-failure.ts'

export interface AnthropicAccess {
  readonly baseUrl: string
  readonly apiKey: string
  readonly keyHeader: 'x-api-key' | 'authorization'
}

export function createAnthropicWire({ baseUrl, apiKey, keyHeader }: AnthropicAccess): ModelWire {
  const client = new Anthropic({
    baseURL: baseUrl,
    // The one that is not used is told so: the client would look for it in the environment.
    apiKey: keyHeader === 'x-api-key' ? apiKey : null,
    authToken: keyHeader === 'authorization' ? apiKey : null,
    maxRetries: 0,
    openTelemetry: false,
    // It would write what a model said to stderr.
    logLevel: 'off',
    fetch: providerFetch,
  })
  return {
    async ask(request, ear) {
      try {
        // `messages.create` writes to stderr with every request to a model that will retire; this is what it calls.
        const asked = { body: anthropicParameters(request), stream: true, signal: ear.signal }
        const stream: AsyncIterable<Anthropic.RawMessageStreamEvent> = await client.post('/v1/messages', asked)
        return await read(stream, request, ear)
      } catch (error) {
        throw failureOf(error)
      }
    },
  }
}

type Block =
  | { readonly type: 'text' | 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted'; readonly data: string }
  | { readonly type: 'call'; readonly toolUseId: string; readonly toolName: string; json: string }

async function read(
  stream: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  request: WireRequest,
  ear: WireEar,
): Promise<WireAnswer> {
  const blocks = new Map<number, Block>()
  let tokens: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  let stopReason: StopReason = 'done'
  for await (const event of stream) {
    ear.alive()
    if (!isWhole(event)) throw oddFailure('an event without what belongs to it')
    switch (event.type) {
      case 'content_block_delta': {
        const room = addDelta(blocks.get(event.index), event.delta, ear)
        if (room !== null) await room
        break
      }
      case 'message_start': {
        const { id, model, usage } = event.message
        tokens = tokensOf(tokens, usage)
        ear.begun({ messageId: id, servedModel: model ?? request.model, tokens })
        break
      }
      case 'content_block_start':
        blocks.set(event.index, blockOf(event.content_block))
        break
      case 'message_delta':
        tokens = tokensOf(tokens, event.usage)
        stopReason = stopReasonOf(event.delta.stop_reason)
        break
      case 'message_stop':
        return { parts: [...blocks.values()].map(partOf), stopReason, tokens }
    }
  }
  throw new WireFailure('the answer broke off', { isRetryable: true })
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** As far as it is read: not everybody who speaks this wire keeps to its types. */
function isWhole(event: Anthropic.RawMessageStreamEvent): boolean {
  if (!isObject(event)) return false
  switch (event.type) {
    case 'message_start':
      return isObject(event.message)
    case 'message_delta':
    case 'content_block_delta':
      return isObject(event.delta)
    case 'content_block_start':
      return isObject(event.content_block)
    default:
      return true
  }
}

/** What it does not tell stays as it was: later events repeat only some counts. */
function tokensOf(
  known: TokenCounts,
  usage: Partial<Anthropic.Usage> | Anthropic.MessageDeltaUsage | undefined,
): TokenCounts {
  return {
    input: usage?.input_tokens ?? known.input,
    output: usage?.output_tokens ?? known.output,
    cacheRead: usage?.cache_read_input_tokens ?? known.cacheRead,
    cacheWrite: usage?.cache_creation_input_tokens ?? known.cacheWrite,
  }
}

function blockOf(block: Anthropic.ContentBlock): Block {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', text: block.thinking ?? '', signature: block.signature ?? '' }
    case 'redacted_thinking':
      return { type: 'redacted', data: block.data }
    case 'tool_use':
      return { type: 'call', toolUseId: block.id, toolName: block.name, json: '' }
    default:
      return { type: 'text', text: block.type === 'text' ? block.text : '', signature: '' }
  }
}

function addDelta(block: Block | undefined, delta: Anthropic.RawContentBlockDelta, ear: WireEar): Promise<void> | null {
  if (block === undefined || block.type === 'redacted') return null
  if (block.type === 'call') {
    if (delta.type === 'input_json_delta') block.json += wordsIn(delta.partial_json)
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
      block.signature += wordsIn(delta.signature)
      return null
    default:
      return null
  }
}

function wordsIn(told: unknown): string {
  if (typeof told === 'string') return told
  throw oddFailure('words that are no text')
}

function partOf(block: Block): Part {
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

function stopReasonOf(reason: Anthropic.StopReason | null): StopReason {
  switch (reason) {
    case 'tool_use':
      return 'calls'
    case 'max_tokens':
      return 'max_tokens'
    case 'refusal':
      return 'refusal'
    case 'pause_turn':
      return 'pause'
    case 'model_context_window_exceeded':
      return 'context_window'
    default:
      return 'done'
  }
}

function failureOf(error: unknown): WireFailure {
  if (error instanceof WireFailure) return error
  if (error instanceof APIConnectionError || !(error instanceof APIError)) return brokenFailure(error)
  const { status, headers, type, apiMessage } = error
  return toldFailure({ status, headers, type, message: apiMessage ?? '' }, error)
}
